import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  'payees check --dry-run| payees.csv',
  'payees check| payees.csv',
  'models plan',
  'models docs',
  'models test| --match "finds a person by a search"',
  'models apply',
  'models history',
  'models env list',
  'schedule apply',
  'schedule list',
  'schedule pause| snapshot/demo',
  'schedule resume| snapshot/demo',
  'watch plan',
  'watch list',
  'watch sync',
  'workers',
  'notify list',
  'notify test',
  'publish',
  'publish --list|',
  'publish --to|PREVIOUS',
  'compact',
  'replay',
  'schedule delete| snapshot/demo',
  'logout',
] as const;

let system: System;

beforeAll(async () => {
  system = await startSystem({
    market: { companies: 60, tenders: 5, seed: 6 },
    config: {
      markets: [{ name: 'demo', streams: ['companies'], schedule: { cron: '0 2 * * *', timezone: 'UTC' } }],
      watch: { fields: ['company.status'], select: 'SELECT company_id FROM core.companies LIMIT 1' },
      notify: [{ command: ['true'] }],
    },
  });
  const [firm] = system.api.identities();
  writeFileSync(path.join(system.project.dir, 'firms.csv'), `name,country\n"${firm?.name}",${firm?.country}\n`);
  writeFileSync(
    path.join(system.project.dir, 'payees.csv'),
    'Payee,Country,IBAN\nFirm,DE,DE89 3704 0044 0532 0130 00\n',
  );
});

afterAll(() => system?.stop());

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
  const line = `${name} ${rest}`.replaceAll('DAY', day).replaceAll('URL', system.api.url);
  const args = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
  const { stdout, stderr } = await system.tidemark(...args, '--json');
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
    if (name === 'snapshot --no-wait')
      await waitUntil('the run ends', async () => {
        const { stdout } = await system.tidemark('status', '--json');
        return (JSON.parse(stdout) as { running: unknown[] }).running.length === 0;
      });
  }
  const page = readFileSync(PAGE, 'utf8');
  const table = ['| command | answer |', '| --- | --- |', ...rows].join('\n');
  const written = page.replace(/\| command \| answer \|\n(\|.*\n)+/, `${table}\n`);
  if (IS_UPDATE) writeFileSync(PAGE, written);
  else expect(page).toBe(written);
});
