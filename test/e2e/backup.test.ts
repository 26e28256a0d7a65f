import { cpSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freePort } from '../../src/cli/terminal/ports.js';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { cleanEnv, startProcess, type RunningProcess } from '../helpers/processes.js';
import { queryFile } from '../helpers/project.js';
import { emptyFolder, runCli, type CliResult } from '../helpers/run-cli.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startTarget, type Target } from '../helpers/target.js';

/*
 * Backup and restore of `tidemark up`, as docs/operations.md describes them: data folder and Temporal's SQLite database
 * together, while a run is open.
 */

const COMPANIES = 150;
const DETAILS = 'GET /v2/companies/{id}';
const NIGHT = 'snapshot/demo/night';

let folder: ReturnType<typeof emptyFolder>;
let api: Target;
let up: RunningProcess | undefined;
let env: Record<string, string>;

const dataDir = (): string => path.join(folder.dir, 'data');
const tidemark = async (...args: string[]): Promise<CliResult> => runCli(args, { cwd: folder.dir, env });

beforeAll(async () => {
  folder = emptyFolder();
  api = await startTarget({ companies: COMPANIES, tenders: 0, seed: 31 });
  const settings = {
    api: { baseUrl: api.url, maxConcurrency: 4 },
    data: './data',
    markets: [{ name: 'demo', streams: ['companies'], schedule: { cron: '0 2 * * *' } }],
  };
  writeFileSync(path.join(folder.dir, 'tidemark.yaml'), stringify(settings));
  env = { TIDEMARK_API_KEY: api.key };
});

afterAll(async () => {
  await up?.stop('SIGINT');
  await api?.stop();
  folder?.remove();
});

/** Starts `tidemark up`, and a client of its Temporal server. */
async function start(): Promise<Client> {
  const [port, uiPort] = [await freePort(17_233), await freePort(18_233)];
  up = await startProcess(['bin/tidemark.mjs', 'up', '--port', String(port), '--ui-port', String(uiPort)], {
    cwd: folder.dir,
    env: cleanEnv(env),
    ready: /^Worker +ready/,
  });
  return new Client({ connection: await Connection.connect({ address: `127.0.0.1:${port}` }) });
}

async function startRun(client: Client): Promise<WorkflowHandle> {
  return client.workflow.start('marketSnapshot', { workflowId: NIGHT, taskQueue: 'tidemark-crawl', args: [{}] });
}

const copy = (from: string, to: string): void =>
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });

it('continues an open run from a backup that was made after `tidemark up` stopped', async () => {
  const first = await start();
  expect((await tidemark('schedule', 'apply')).code).toBe(0);
  await api.answer({ route: '/v2/companies/', latency: 150 });
  const { firstExecutionRunId: run } = (await startRun(first)) as WorkflowHandle & { firstExecutionRunId: string };
  await waitUntil('details are fetched', async () => (await api.requests(DETAILS)) > 20);
  await up?.stop('SIGINT');
  await first.connection.close();
  const backup = path.join(folder.dir, 'backup');
  copy(dataDir(), backup);
  expect(existsSync(path.join(backup, 'temporal'))).toBe(true);
  const atBackup = await api.requests(DETAILS);
  expect(atBackup).toBeLessThan(COMPANIES);

  // The run goes on after the backup, and the machine is lost before the run ends.
  const second = await start();
  await waitUntil('more details are fetched', async () => (await api.requests(DETAILS)) > atBackup + 20);
  await up?.stop('SIGKILL');
  await second.connection.close();
  await api.clearFaults();
  renameSync(dataDir(), path.join(folder.dir, 'lost'));
  renameSync(backup, dataDir());

  const restored = await start();
  const result = (await restored.workflow.getHandle(NIGHT).result()) as RunResult;
  expect(result).toMatchObject({ run, outcome: 'complete', rejects: 0 });
  const published = path.join(dataDir(), 'published', 'market.duckdb');
  const count =
    'SELECT count(*)::INTEGER AS rows, count(DISTINCT company_id)::INTEGER AS companies FROM core.companies';
  expect(await queryFile(published, count)).toEqual([{ rows: COMPANIES, companies: COMPANIES }]);
  expect((await tidemark('schedule', 'list')).stdout).toContain('snapshot/demo');
  const doctor = await tidemark('doctor');
  expect(doctor.stdout).not.toContain('✘');
  await up?.stop('SIGINT');
  await restored.connection.close();
});
