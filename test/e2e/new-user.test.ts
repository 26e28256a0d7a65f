import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/base/text/display-width.js';
import {
  cleanEnv,
  compiled,
  startProcess,
  startSandbox,
  type RunningProcess,
  type RunningSandbox,
} from '../helpers/processes.js';
import { emptyFolder, runCli, type CliResult } from '../helpers/run-cli.js';
import { hasPty, runInPty } from '../helpers/pty.js';
import { startTemporal } from '../helpers/temporal.js';

/*
 * The first hour of a new user: the steps and mistakes below, in this order, in one folder, each as a process. A step
 * states what the user must be able to read in the output.
 */

type Temporal = Awaited<ReturnType<typeof startTemporal>>;

const KEY = 'right-key';
// Nothing listens on this port.
const NOBODY = '127.0.0.1:9';

let folder: ReturnType<typeof emptyFolder>;
let sandbox: RunningSandbox;
let temporal: Temporal;
let env: Record<string, string>;
let worker: RunningProcess | undefined;

beforeAll(async () => {
  folder = emptyFolder();
  [sandbox, temporal] = await Promise.all([startSandbox({ companies: 200, tenders: 20, key: KEY }), startTemporal()]);
  env = { TEMPORAL_ADDRESS: NOBODY };
});

afterAll(async () => {
  await worker?.stop();
  await temporal?.teardown();
  await sandbox?.stop();
  folder?.remove();
});

const configure = (text: string): void => writeFileSync(path.join(folder.dir, 'tidemark.yaml'), text);

async function tidemark(args: string, extra: Record<string, string> = {}): Promise<CliResult & { all: string }> {
  const words = args.match(/"[^"]*"|\S+/g) ?? [];
  const result = await runCli(
    words.map((word) => word.replaceAll('"', '')),
    { cwd: folder.dir, env: { ...env, ...extra } },
  );
  return { ...result, all: `${result.stdout}${result.stderr}` };
}

interface Step {
  title: string;
  run: string;
  before?: () => void | Promise<void>;
  env?: Record<string, string>;
  /** Exit code; 0 if omitted. */
  code?: number;
  says: (RegExp | string)[];
  never?: RegExp;
}

const yaml = (api: string, market = '  - name: demo\n'): string => `api:\n  baseUrl: ${api}\nmarkets:\n${market}`;

const STEPS: Step[] = [
  { title: 'asks for help', run: '--help', says: ['Usage: tidemark', 'snapshot', 'demo', 'doctor'] },
  { title: 'asks for the version', run: '--version', says: [/^\d+\.\d+\.\d+(-rc\.\d+)?\n$/] },
  {
    title: 'misspells a command',
    run: 'snapsot',
    code: 2,
    says: ["unknown command 'snapsot'", 'Did you mean snapshot?'],
  },
  {
    title: 'misspells an option',
    run: 'snapshot --dry-rnu',
    code: 2,
    says: ["unknown option '--dry-rnu'", '--dry-run'],
  },
  {
    title: 'has no configuration',
    run: 'snapshot --dry-run',
    code: 1,
    says: ['tidemark.yaml does not exist', 'tidemark'],
  },
  {
    title: 'names a configuration that does not exist',
    run: '--config nope.yaml status',
    code: 1,
    says: ['nope.yaml does not exist'],
  },
  {
    title: 'writes YAML with a missing quote',
    before: () => configure('api:\n  baseUrl: "http://127.0.0.1:1\nmarkets: []\n'),
    run: 'status',
    code: 1,
    says: ['not valid YAML', 'Missing closing "quote', /line \d/],
  },
  {
    title: 'misspells a key of the configuration',
    before: () => configure(yaml('http://127.0.0.1:1', '  - name: demo\n    filtres: {}\n')),
    run: 'status',
    code: 1,
    says: ['filtres', 'tidemark.yaml'],
  },
  {
    title: 'asks a remote API over plain HTTP',
    before: () => configure(yaml('http://api.example.com')),
    run: 'snapshot --dry-run',
    env: { TIDEMARK_API_KEY: KEY },
    code: 1,
    says: ['https', 'api.example.com'],
  },
  {
    title: 'forgets the API key',
    before: () => configure(yaml(sandbox.url)),
    run: 'snapshot --dry-run',
    code: 1,
    says: ['TIDEMARK_API_KEY'],
  },
  {
    title: 'gives a wrong API key',
    run: 'snapshot --dry-run',
    env: { TIDEMARK_API_KEY: 'wrong-key' },
    code: 1,
    says: ['refuses the API key', 'TIDEMARK_API_KEY'],
    never: /wrong-key/,
  },
  {
    title: 'names a key file that does not exist',
    run: 'snapshot --dry-run',
    env: { TIDEMARK_API_KEY_FILE: 'no-file' },
    code: 1,
    says: ['no-file'],
  },
  {
    title: 'gives an address where nothing listens',
    before: () => configure(yaml(`http://${NOBODY}`)),
    run: 'snapshot --dry-run',
    env: { TIDEMARK_API_KEY: KEY },
    code: 1,
    says: ['ECONNREFUSED', NOBODY],
  },
  {
    title: 'asks what a snapshot will cost',
    before: () => {
      configure(yaml(sandbox.url));
      env['TIDEMARK_API_KEY'] = KEY;
    },
    run: 'snapshot --dry-run',
    says: ['200 companies', 'total', 'Quota'],
  },
  { title: 'names a market that is not configured', run: 'snapshot --market nope', code: 2, says: ['"nope"', 'demo'] },
  {
    title: 'starts a snapshot without Temporal',
    run: 'snapshot',
    code: 1,
    says: ['Temporal does not answer', 'tidemark up'],
  },
  {
    title: 'starts a worker without Temporal',
    run: 'worker',
    code: 1,
    says: ['Temporal does not answer', 'tidemark up'],
  },
  { title: 'asks the doctor without Temporal', run: 'doctor', code: 1, says: ['✔ api', '✘ temporal', 'tidemark up'] },
  {
    title: 'queries before the first snapshot',
    run: 'sql "SELECT 1"',
    code: 1,
    says: ['no published warehouse', 'tidemark snapshot'],
  },
  {
    title: 'starts a snapshot without a worker and does not wait',
    before: () => {
      env['TEMPORAL_ADDRESS'] = temporal.address;
    },
    run: 'snapshot --no-wait',
    says: ['tidemark worker'],
  },
  {
    title: 'asks for the status while no worker runs',
    run: 'status',
    says: ['snapshot/demo/', 'check that a worker runs'],
  },
  {
    title: 'starts a worker and waits for the snapshot',
    before: startWorker,
    run: 'snapshot',
    says: ['complete', '200'],
  },
  { title: 'asks the doctor again', run: 'doctor', says: ['✔ temporal', '✔ workers', '✔ published'], never: /✘/ },
  { title: 'counts the companies', run: 'sql "SELECT count(*) AS n FROM core.companies"', says: ['200'] },
  { title: 'misspells a table', run: 'sql "FROM core.compnies"', code: 1, says: ['compnies', 'companies'] },
  { title: 'makes a syntax error in SQL', run: 'sql "SELEC 1"', code: 1, says: [/syntax error/i] },
  {
    title: 'tries to change the published file',
    run: 'sql "DROP TABLE core.companies"',
    code: 1,
    says: [/read-only|read only/i],
  },
  { title: 'asks for the coverage', run: 'coverage', says: ['demo', '200'] },
  { title: 'writes a report', run: 'report', says: ['report.html'] },
  { title: 'resolves a list that does not exist', run: 'resolve nofile.csv', code: 2, says: ['nofile.csv'] },
  {
    title: 'resolves an empty list',
    before: () => writeFileSync(path.join(folder.dir, 'empty.csv'), ''),
    run: 'resolve empty.csv',
    code: 2,
    says: ['empty.csv', /empty/],
  },
  {
    title: 'resolves a list without a usable column',
    before: () => writeFileSync(path.join(folder.dir, 'colours.csv'), 'colour\nred\n'),
    run: 'resolve colours.csv',
    code: 2,
    says: ['colour', 'name'],
  },
  { title: 'forgets nobody in particular', run: 'forget', says: [/nothing|no one|nobody/i] },
  {
    title: 'starts a second sandbox on a used port',
    run: `sandbox --port USED`,
    code: 1,
    says: ['Another program uses this port', '--port'],
  },
  {
    title: 'makes the folder read-only',
    before: () => chmodSync(path.join(folder.dir, 'data'), 0o500),
    run: 'sql "SELECT count(*) AS n FROM core.companies"',
    says: ['200'],
  },
];

async function startWorker(): Promise<void> {
  worker = await startProcess(['bin/tidemark.mjs', 'worker'], {
    env: cleanEnv({ ...env, TIDEMARK_CONFIG: path.join(folder.dir, 'tidemark.yaml') }),
    ready: /worker.*(ready|running)/i,
  });
}

/** Commands in a terminal with 60 columns, and texts that they must show whole. */
const NARROW: [run: string, code: number, says: string[]][] = [
  ['status', 0, ['Published', 'market.duckdb', 'marketSnapshot demo', 'requests']],
  ['doctor', 0, ['✔ temporal', '✔ published', 'warehouse']],
  ['coverage', 0, ['demo', '200 of 200 companies (100 %)']],
  ['runs', 0, ['marketSnapshot', 'complete']],
  ['sql "SELECT company_id, name, country_name, status FROM core.companies LIMIT 3"', 0, ['company_id']],
  ['snapshot', 0, ['complete', '200 of 200 companies (100 %)', 'published']],
  ['--help', 0, ['snapshot', 'completion']],
  ['snapsot', 2, ['Did you mean snapshot?']],
];

it.each(STEPS)('a new user $title', async ({ run, before, env: extra = {}, code = 0, says, never }) => {
  await before?.();
  const result = await tidemark(run.replace('USED', new URL(sandbox.url).port), extra);
  expect(result.all).not.toMatch(/^\s+at .*\(.*:\d+:\d+\)$/m);
  for (const words of says) {
    if (words instanceof RegExp) expect(result.all).toMatch(words);
    else expect(result.all).toContain(words);
  }
  if (never) expect(result.all).not.toMatch(never);
  expect(result.code).toBe(code);
});

describe.skipIf(!hasPty())('a new user with a narrow terminal', () => {
  beforeAll(() => chmodSync(path.join(folder.dir, 'data'), 0o700));

  it.each(NARROW)('reads every line of tidemark %s', async (run, code, says) => {
    const words = (run.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
    const command = [process.execPath, ...compiled(['bin/tidemark.mjs', ...words])];
    const shown = runInPty(command, { columns: 60, cwd: folder.dir, env: cleanEnv(env) });
    expect(await shown.ended).toBe(code);
    const lines = shown.lines();
    expect(lines.filter((line) => displayWidth(line) > 60)).toEqual([]);
    // Words that the command wraps stay readable: join the lines as a person reads them.
    const text = lines.map((line) => line.trim()).join(' ');
    for (const one of says) expect(text).toContain(one);
  });
});
