import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Progress } from '../../schemas/pipeline/run.js';
import { ROOT } from '../helpers/processes.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

/*
 * docs/json.md lists what each command answers with `--json`. This test runs the commands, derives the table from their
 * real answers, and compares. UPDATE_JSON_DOCS=1 writes the table instead.
 */

const PAGE = path.join(ROOT, 'docs', 'json.md');
const IS_UPDATE = process.env['UPDATE_JSON_DOCS'] === '1';

/** Command lines in the order in which they run. `|` separates the name in the table from the rest. */
const RUNS = [
  'setup',
  'doctor',
  'init| --config other.yaml --url URL --market demo --yes',
  'health| HEALTH',
  'snapshot --dry-run|',
  'snapshot --no-wait|',
  'snapshot',
  'tenders',
  'backfill| --from DAY --to DAY --streams tenders',
  'status',
  'runs',
  'coverage',
  'quota',
  'quota --live|',
  'rejects',
  'rejects --list|',
  'rejects retry',
  'report',
  'resolve| firms.csv',
  'enrich| firms.csv',
  'owners enrich',
  'payees check --dry-run| payees.csv',
  'payees check| payees.csv',
  'diff| TODAY TODAY',
  'models plan',
  'models docs',
  'models test| --match "finds a person by a search"',
  'models apply',
  'models apply --env| me',
  'models diff| --env me',
  'models env list',
  'models env drop| me',
  'models rollback',
  'models history',
  'schedule apply',
  'schedule list',
  'schedule pause| snapshot/demo',
  'schedule resume| snapshot/demo',
  'schedule backfill| snapshot/demo --from DAY --to DAY',
  'schedule trigger| snapshot/demo',
  'watch plan',
  'watch apply',
  'watch list',
  'watch sync',
  'watch events',
  'pause',
  'concurrency| 2',
  'resume',
  'stop',
  'workers',
  'workers promote',
  'upgrade --check',
  'notify list',
  'notify test',
  'data copy| DATA moved --abandon-runs',
  'publish',
  'publish --copy|',
  'publish --list|',
  'publish --to|PREVIOUS',
  'files',
  'files core.companies',
  'compact',
  'replay',
  'forget| --company 1000001',
  'schedule delete| snapshot/demo',
  'logout',
] as const;

let system: System;

/** What happens before a command, so that it has something to do. */
const BEFORE: Partial<Record<string, () => unknown>> = {
  'models apply --env': () => writeModel('WHERE company_id > 0'),
  'models rollback': () => system.tidemark('models', 'apply'),
  pause: startPausedRun,
  stop: startPausedRun,
};

/** What happens while a command runs. */
const MEANWHILE: Partial<Record<string, () => Promise<void>>> = {
  async 'owners enrich'() {
    const jobs = system.api.inconclusiveOwners();
    await waitUntil('all jobs are started', async () => (await system.api.jobsStarted()) === jobs);
    await system.api.advanceJobs(7);
  },
};

/** Commands that return while their run is open, and the number of runs that they start. */
const LEAVES_OPEN: Partial<Record<string, number>> = {
  'snapshot --no-wait': 1,
  'schedule backfill': 1,
  'schedule trigger': 1,
  resume: 0,
  stop: 0,
};

beforeAll(async () => {
  system = await startSystem({
    market: { companies: 60, tenders: 5, seed: 6 },
    ownerPollSeconds: 1,
    config: {
      markets: [
        { name: 'demo', streams: ['companies', 'ownership'], schedule: { cron: '0 2 * * *', timezone: 'UTC' } },
      ],
      metrics: { port: 0 },
      models: './models',
      watch: { fields: ['company.status'], select: 'SELECT company_id FROM core.companies LIMIT 1' },
      notify: [{ command: ['true'] }],
      publish: { to: './shared' },
    },
  });
  writeModel('');
  const [firm] = system.api.identities();
  writeFileSync(path.join(system.project.dir, 'firms.csv'), `name,country\n"${firm?.name}",${firm?.country}\n`);
  writeFileSync(
    path.join(system.project.dir, 'payees.csv'),
    'Payee,Country,IBAN\nFirm,DE,DE89 3704 0044 0532 0130 00\n',
  );
});

afterAll(() => system?.stop());

/** Writes the user's own model. */
function writeModel(condition: string): void {
  const folder = path.join(system.project.dir, 'models', 'marts');
  mkdirSync(folder, { recursive: true });
  const header = `
model: marts.mine
kind: table
version: 1
grain: company
key: [company_id]
description: Ids of all companies
columns:
  company_id: BIGINT | Id of the company
`;
  writeFileSync(path.join(folder, 'mine.sql'), `/*${header}*/\nSELECT company_id FROM core.companies ${condition}\n`);
}

async function startPausedRun(): Promise<void> {
  const run = await system.start('tenderSnapshot', 'tenders/paused');
  await run.signal('pause');
  await waitUntil('the run is paused', async () => (await run.query<Progress>('progress')).phase === 'paused');
}

const countRuns = async (): Promise<number> => (await system.temporal.client.workflow.count()).count;

async function untilNoRunIsOpen(): Promise<void> {
  await waitUntil('all runs end', async () => {
    const { stdout } = await system.tidemark('status', '--json');
    return (JSON.parse(stdout) as { running: unknown[] }).running.length === 0;
  });
}

/** Describes a JSON value: `list of objects` or `object`, and the names of its fields. */
function shapeOf(value: unknown): string {
  if (!Array.isArray(value)) return `object: ${quoted(fieldsOf([value]))}`;
  return value.length === 0 ? 'list' : `list of objects: ${quoted(fieldsOf(value))}`;
}

function fieldsOf(objects: readonly unknown[]): string[] {
  return [...new Set(objects.flatMap((one) => Object.keys(one as object)))];
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** Describes the result of a run by its difference from the result of `snapshot`. */
function differenceOf(fields: readonly string[], ofSnapshot: readonly string[]): string {
  const more = fields.filter((name) => !ofSnapshot.includes(name));
  const less = ofSnapshot.filter((name) => !fields.includes(name));
  const parts = [
    ...(more.length > 0 ? [`and ${quoted(more)}`] : []),
    ...(less.length > 0 ? [`without ${quoted(less)}`] : []),
  ];
  return ['as `snapshot`', ...parts].join(', ');
}

let ofSnapshot: string[] | undefined;

async function answerOf(run: string): Promise<[name: string, shape: string]> {
  const [name = '', rest = ''] = run.split('|');
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const health = /metrics at (\S+)metrics$/m.exec(system.worker.output())?.[1] ?? '';
  const line = `${name} ${rest}`
    .replaceAll('TODAY', new Date().toISOString().slice(0, 10))
    .replaceAll('DAY', day)
    .replaceAll('DATA', system.project.data)
    .replaceAll('URL', system.api.url)
    .replaceAll('HEALTH', `${health}healthz`);
  const args = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
  await BEFORE[name]?.();
  const runs = await countRuns();
  const [{ stdout, stderr }] = await Promise.all([system.tidemark(...args, '--json'), MEANWHILE[name]?.()]);
  const started = LEAVES_OPEN[name];
  if (started !== undefined) {
    await waitUntil('the runs are started', async () => (await countRuns()) >= runs + started);
    await untilNoRunIsOpen();
  }
  expect(stdout, `${line}: ${stderr}`).toMatch(/^[[{]/);
  const answer: unknown = JSON.parse(stdout);
  const fields = fieldsOf([answer]);
  if (!fields.includes('outcome')) return [name, shapeOf(answer)];
  const first = ofSnapshot === undefined;
  ofSnapshot ??= fields;
  return [name, first ? shapeOf(answer) : differenceOf(fields, ofSnapshot)];
}

it('lists the real answer of each command in docs/json.md', async () => {
  const rows: string[] = [];
  for (const run of RUNS) {
    const [name, shape] = await answerOf(run);
    rows.push(`| \`${name}\` | ${shape} |`);
  }
  const page = readFileSync(PAGE, 'utf8');
  const table = ['| command | answer |', '| --- | --- |', ...rows].join('\n');
  const written = page.replace(/\| command \| answer \|\n(\|.*\n)+/, `${table}\n`);
  if (IS_UPDATE) writeFileSync(PAGE, written);
  else expect(page).toBe(written);
});
