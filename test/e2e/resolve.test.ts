import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld } from '../../sandbox/world/index.js';
import type { Company } from '../../schemas/v2/company.js';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { countRequests } from '../helpers/sandbox.js';
import { TARGET } from '../helpers/target.js';
import { startTemporal } from '../helpers/temporal.js';
import { tidemarkIn, type CliResult } from '../helpers/run-cli.js';

const MARKET = { companies: 400, tenders: 0, seed: 9, date: '2026-11-20' };

const quoted = (value: string | null | undefined): string => `"${(value ?? '').replaceAll('"', '""')}"`;

/** An address as Tidemark asks for it. */
const plain = (value: string | null | undefined): string =>
  (value ?? '').replace(/^https:\/\//, '').replace(/^www\./, '');

/** Companies of the sandbox that have every identifier. */
function companies(count: number): Company[] {
  const world = createWorld(MARKET);
  return world
    .companyIds(0)
    .map((id) => world.company(id, 0))
    .filter((company) => company !== undefined)
    .filter(({ company_website, vat_number, pronet }) => company_website && vat_number && pronet)
    .slice(0, count);
}

// The stub's enrichment and autocomplete know only tickers.
describe.skipIf(TARGET === 'stub')('tidemark resolve', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;
  const list = companies(40);
  let file: string;

  const tidemark = (...args: string[]): Promise<CliResult> => tidemarkIn(project, args);

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox(MARKET)]);
    project = makeProject({ api: sandbox, temporal: temporal.address });
    worker = await project.startWorker();
    const rows = list.map((company, i) => {
      const cells = [company.country_code, '', '', '', '', ''];
      const ways: [column: number, value: string | null | undefined][] = [
        [1, company.registration_number],
        [2, company.vat_number],
        [3, company.company_website],
        [4, company.pronet],
      ];
      const [column, value] = ways[i % ways.length] ?? [5, null];
      cells[column] = value;
      return cells.map(quoted).join(',');
    });
    file = path.join(project.dir, 'list.csv');
    const unknown = [
      '"DK","none-such","","","",""',
      '"","","","nowhere.invalid","",""',
      '"","","","","","No company is called this \u202e"',
    ];
    writeFileSync(
      file,
      ['country,reg no,vat,website,profile,name,our id', ...rows, ...unknown, '"DK","","","","",""'].join('\n'),
    );
  });

  afterAll(async () => {
    await worker?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it('resolves a list of companies and reports unknown ones and unusable rows', async () => {
    const { code, stdout, stderr } = await tidemark('resolve', file);
    expect(stderr).toContain('Ignored columns: our id.');
    expect(stderr).toContain('1 rows cannot be used');
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/✔ resolve\/[0-9a-f]{16}: complete/);
    expect(stdout).toMatch(/matched +40 of 43: 20 by registration, 10 by (profile|website), 10 by (profile|website)/);
    const rows = await project.query('SELECT request, company_id, name, kind, matched FROM core.matches');
    expect(rows.filter(({ matched }) => matched === false)).toHaveLength(3);
    const truth = new Map(
      list.flatMap((company) =>
        [company.registration_number, company.vat_number, company.company_website, company.pronet].map(
          (value) => [plain(value), String(company.id)] as const,
        ),
      ),
    );
    for (const row of rows.filter(({ matched }) => matched === true)) {
      const { country_code: _, ...asked } = JSON.parse(row['request'] as string) as Record<string, string>;
      expect(row['company_id'], JSON.stringify(asked)).toBe(truth.get(plain(Object.values(asked)[0])));
    }
    expect(await project.query('SELECT stream, reason, raw FROM ops.rejects')).toEqual([
      // The row may name a person, so its text is shown only with `personalData: contacts`.
      { stream: 'matches', reason: 'bad_row', raw: null },
    ]);
    expect(await project.query(`SELECT workflow_type, outcome FROM ops.runs`)).toEqual([
      { workflow_type: 'resolveCompanies', outcome: 'complete' },
    ]);
  });

  it('asks only questions that have no answer yet, whatever the list', async () => {
    const before = await countRequests(sandbox, 'POST /v2/enrichment/url');
    writeFileSync(file, `website\n${list[2]?.company_website ?? ''}\n${list[0]?.company_website ?? ''}\n`);
    const { code, stdout } = await tidemark('resolve', file, '--json');
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as RunResult;
    // The country is part of a question, so questions without it are new.
    expect(result.due).toEqual([
      { stream: 'matches', known: 2, due: 2, reasons: { unfetched: 2 } },
      // The warehouse has the records of both companies from the list before.
      { stream: 'companies', known: 2, due: 0, reasons: {} },
    ]);
    const again = await tidemark('resolve', file, '--json');
    expect((JSON.parse(again.stdout) as RunResult).due[0]).toEqual({
      stream: 'matches',
      known: 2,
      due: 0,
      reasons: {},
    });
    expect(await countRequests(sandbox, 'POST /v2/enrichment/url')).toBe(before + 2);
  });

  it('rejects a list without identifying columns and an unreadable file', async () => {
    writeFileSync(file, 'country,note\nDK,x\n');
    const useless = await tidemark('resolve', file);
    expect([useless.code, useless.stderr]).toEqual([2, expect.stringContaining('names no column that identifies')]);
    writeFileSync(file, Buffer.from([0xff, 0xfe, 0x41]));
    expect((await tidemark('resolve', file)).stderr).toContain('is not UTF-8 text');
    const missing = await tidemark('resolve', path.join(project.dir, 'missing.csv'));
    expect(missing.stderr).toContain('Cannot read');
    const start = temporal.client.workflow.execute('resolveCompanies', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'resolve/outside',
      args: [{ file: '../tidemark.yaml' }],
    });
    await expect(start).rejects.toMatchObject({
      cause: { cause: { message: expect.stringContaining('Wrong input: file') } },
    });
  });

  it('rejects a forged run context and a forged quota gate waiter', async () => {
    const ctx = { run: '../../../escaped', date: '2026-11-20', file: '../../outside.csv', workflowId: 'x' };
    const forged = temporal.client.workflow.execute('resolveCompanies', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'resolve/forged',
      args: [{}, { ctx, completed: [], notes: [], nextChunk: 0, progress: { steps: [] } }],
    });
    await expect(forged).rejects.toMatchObject({
      cause: { type: 'InvalidInput', message: expect.stringContaining('two arguments') },
    });
    const gate = await temporal.client.workflow.signalWithStart('quotaGate', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'quota/forged',
      signal: 'enterQuotaGate',
      signalArgs: [{ ctx, priority: 1 }],
      args: [{}],
    });
    expect(JSON.stringify(await gate.query('__temporal_workflow_metadata'))).not.toContain('| waiting run |');
    await gate.terminate();
    expect(existsSync(path.join(project.dir, 'escaped'))).toBe(false);
  });
});
