import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runChecks } from '../../../src/cli/doctor/run-checks.js';
import { createProgram } from '../../../src/cli/program.js';
import { ROOT } from '../../helpers/processes.js';
import { emptyFolder, runCli } from '../../helpers/run-cli.js';

const CONFIG = `
api: { baseUrl: 'http://127.0.0.1:1' }
markets:
  - { name: north }
  - { name: south }
`;

/** All commands except \`sandbox\`, which has its own help. */
const COMMANDS = `
  completion, complete, demo, init, up, upgrade, worker, workers, workers promote, setup, login, logout, publish, quarantine, compact, forget, snapshot, tenders, backfill, resolve, enrich, owners, owners enrich, payees, payees check, models, models plan, models docs, models test, models apply, models rollback, models history, models diff, models env list, models env drop, sql, diff, status, runs, coverage, quota, rejects, rejects retry, report, pause, resume, stop, concurrency, doctor, health, notify, notify list, notify test,
  schedule, schedule apply, schedule list, schedule pause, schedule resume, schedule trigger, schedule backfill,
  schedule delete, watch, watch plan, watch apply, watch list, watch events, watch listen, watch sync, ui`
  .split(',')
  .map((command) => command.trim());

/** Commands without `--json`, and why. */
const WITHOUT_JSON: Record<string, string> = {
  demo: 'runs until Ctrl-C; `tidemark status --json` shows the state',
  up: 'runs until Ctrl-C',
  ui: 'runs until Ctrl-C',
  worker: 'runs until SIGTERM; its log is JSON',
  'watch listen': 'runs until SIGTERM; its log is JSON',
  login: 'asks a person',
  completion: 'prints a script for a shell',
  complete: 'prints words for a shell',
  sql: 'has --format json',
  ...Object.fromEntries(
    ['models', 'models env', 'owners', 'payees', 'schedule', 'watch', 'notify'].map((group) => [
      group,
      'only holds other commands',
    ]),
  ),
};

let folder: ReturnType<typeof emptyFolder>;
let empty: ReturnType<typeof emptyFolder>;

beforeAll(() => {
  folder = emptyFolder();
  empty = emptyFolder();
  writeFileSync(path.join(folder.dir, 'tidemark.yaml'), CONFIG);
});

afterAll(() => {
  folder.remove();
  empty.remove();
});

const tidemark = async (args: readonly string[], env: Record<string, string> = {}) =>
  runCli(args, { cwd: folder.dir, env });

describe('tidemark report', () => {
  it('report suggests a snapshot when nothing is published', async () => {
    const { code, stderr } = await tidemark(['report']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/no published warehouse[^]*tidemark snapshot/);
  });
});

describe('tidemark watch listen', () => {
  it('watch listen says where to get a missing secret', async () => {
    const { code, stderr } = await tidemark(['watch', 'listen']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/webhook secret is missing[^]*watch apply[^]*TIDEMARK_WEBHOOK_SECRET/);
  });
});

/** Asks for the help of a command without a process of its own, because there are many commands. */
async function helpOf(command: string): Promise<{ code: number | undefined; stdout: string }> {
  const argv = [...command.split(' '), '--help'];
  const program = await createProgram(argv);
  let stdout = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode, stdout };
    throw error;
  } finally {
    write.mockRestore();
  }
  return { code: undefined, stdout };
}

describe.concurrent('tidemark --help', () => {
  it.each(COMMANDS)('describes %s with an example in its help', async (command) => {
    const { code, stdout } = await helpOf(command);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: tidemark ${command}`);
    expect(stdout).toMatch(/\nExamples?:\n {2}.*tidemark /);
    expect(stdout).toContain('--config <file>');
    expect(/\n {2}--json /.test(stdout), WITHOUT_JSON[command] ?? 'has no --json').toBe(!(command in WITHOUT_JSON));
    // An example may be longer, because a person copies it.
    const [help = ''] = stdout.split(/\nExamples?:/);
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('lists every command in the help', async () => {
    const { code, stdout } = await tidemark(['--help']);
    expect(code).toBe(0);
    for (const command of COMMANDS.filter((one) => one !== 'complete'))
      expect(stdout).toMatch(new RegExp(`\\n {2}${command.split(' ')[0]} `));
  });

  it('groups the commands, with one line for each', async () => {
    const { stdout } = await tidemark(['--help']);
    const [, ...groups] = stdout.slice(stdout.indexOf('First run:') - 1).split(/^(?=\S.*:$)/m);
    expect(groups.map((group) => group.split('\n')[0])).toEqual([
      'First run:',
      'Run and follow:',
      'Data:',
      'Models:',
      'Schedules and watching:',
      'Operate:',
    ]);
    for (const group of groups) {
      const lines = group.trimEnd().split('\n').slice(1);
      expect(lines.filter((line) => !/^ {2}\S.{0,77}$/.test(line))).toEqual([]);
    }
  });

  it('finds each command with --json in docs/json.md', () => {
    const page = readFileSync(path.join(ROOT, 'docs', 'json.md'), 'utf8');
    const commands = COMMANDS.filter((command) => !(command in WITHOUT_JSON));
    const missing = commands.filter((command) => !new RegExp(`^\\| \`${command}( --\\w+)?\` \\|`, 'm').test(page));
    expect(missing).toEqual([]);
  });

  it("shows the sandbox's own help, in groups and at most 80 columns wide", async () => {
    const { code, stdout } = await tidemark(['sandbox', '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: tidemark sandbox \[options\]\n/);
    for (const text of ['\nMarket:\n', '\nQuota and speed:\n', '--companies', '\nExample:\n'])
      expect(stdout).toContain(text);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe.concurrent('wrong usage', () => {
  it.each([
    [['snapshots'], /unknown command 'snapshots'[\s\S]*Did you mean snapshot/],
    [['snapshot', '--nope'], /unknown option '--nope'/],
    [['worker', '--queue', 'all-of-them'], /Allowed choices are crawl, warehouse, all/],
    [['up', '--port', '70000'], /A port is a number from 1 to 65535/],
    [['runs', '--limit', 'many'], /Must be a whole number/],
    [['backfill', '--from', '2026-01-01'], /required option '--to <day>'/],
    [['backfill', '--from', '2026-01-05', '--to', '2026-01-01'], /is after --to/],
    [
      ['backfill', '--from', '2026-01-01', '--to', '2026-01-02', '--streams', 'companies'],
      /Choose from: tenders, watch_events, contact_metrics, financials/,
    ],
    [['snapshot', '--market', 'north', '--date', '2026-02-30'], /is not a date/],
    [['snapshot', '--market', 'north', '--date', '2999-01-01'], /is in the future/],
    [['snapshot'], /No market was named, .*north, south/],
    [
      ['owners', 'enrich', '--market', 'north'],
      /Market north does not fetch owners[^]*Add `ownership` to its streams[^]*tidemark snapshot --market north/,
    ],
    [['snapshot', '--market', 'east'], /declares no market "east"/],
    [['sql', 'SELECT 1', '-f', 'x.sql'], /both a query and -f/],
    [['sql', '-f', 'gone.sql'], /Cannot read gone.sql/],
    [['sql', 'SELECT 1', '--format', 'parquet'], /Name a file with --out/],
    [['sql', 'SELECT 1', '--out', 'x.xls'], /cannot write \.xls files[^]*\.csv, \.json, \.parquet, \.arrow, \.xlsx/],
    [['sql', 'SELECT 1', '--out', 'x.xlsx', '--format', 'csv'], /means \.xlsx, but --format says csv/],
    [['sql', 'SELECT 1', '--out', 'x.csv.gz'], /cannot write \.gz files/],
    [['sql', 'SELECT 1', '--out', 'x.json', '--format', 'csv'], /\.json, but --format says csv/],
    [['sql', 'SELECT 1', '--out', 'x'], /no file extension, so its format is unknown[^]*--format/],
    [['sql', 'SELECT 1', '--out', '.'], /--out \. is a folder/],
    [['models', 'docs', '--out', '.'], /--out \. is a folder/],
    [['sql', 'SELECT 1', '--out', 'nowhere/x.csv'], /the folder .*nowhere does not exist/],
    [[], /Usage: tidemark/],
  ])('exits with 2 and names what is allowed: %j', async (args, message) => {
    const { code, stderr, stdout } = await tidemark(args);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

describe.concurrent('failures', () => {
  const cases: [string, string[], Record<string, string>, RegExp][] = [
    [
      'a missing configuration',
      ['status', '--config', 'elsewhere.yaml'],
      {},
      /The configuration file .*elsewhere\.yaml does not exist\.\n {2}Run `tidemark init --config elsewhere\.yaml`/,
    ],
    ['a missing key', ['worker'], {}, /No API key[\s\S]*Set TIDEMARK_API_KEY/],
    ['a missing key before anything is started', ['up'], {}, /No API key/],
    [
      'an API that is down',
      ['quota', '--live'],
      { TIDEMARK_API_KEY: 'k' },
      /127\.0\.0\.1:1: .*no answer[\s\S]*Check api\.baseUrl/,
    ],
    [
      'an unreachable Temporal server',
      ['snapshot', '--market', 'north'],
      { TEMPORAL_ADDRESS: '127.0.0.1:1' },
      /Temporal does not answer at 127\.0\.0\.1:1[\s\S]*Check TEMPORAL_ADDRESS/,
    ],
    ['nothing published', ['sql', 'SELECT 1'], {}, /There is no published warehouse/],
    [
      'a watch without declared companies',
      ['watch', 'plan'],
      { TIDEMARK_API_KEY: 'k' },
      /does not declare which companies to watch/,
    ],
    ['an unreadable clock', ['status'], { TIDEMARK_NOW: 'noon' }, /TIDEMARK_NOW is not an ISO instant/],
  ];

  it.each(cases)('exits with 1 and names the remedy: %s', async (_name, args, env, message) => {
    const { code, stderr } = await tidemark(args, env);
    expect(stderr).toMatch(message);
    // Only TIDEMARK_DEBUG shows the stack.
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });

  it('names each wrong configuration key by path', async () => {
    writeFileSync(
      path.join(folder.dir, 'wrong.yaml'),
      'api: { baseUrl: nowhere, retries: 3 }\nmarkets: [{ name: Big Market }]\n',
    );
    const { code, stderr } = await tidemark(['--config', 'wrong.yaml', 'runs']);
    expect(stderr).toMatch(/api\.baseUrl: /);
    expect(stderr).toMatch(/line 1, column 26: api\.retries: is not a setting/);
    expect(stderr).toMatch(/line 2, column 13: markets\[0\]\.name: /);
    expect(code).toBe(1);
  });

  it('names a port in use and its option', async () => {
    const taken = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
    });
    const port = String((taken.address() as AddressInfo).port);
    const { code, stderr } = await tidemark(['up', '--sandbox', '--sandbox-port', port], {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    taken.close();
    expect(stderr).toContain(`Another process uses port ${port}, which the sandbox needs.`);
    expect(stderr).toContain('--sandbox-port');
    expect(code).toBe(1);
  });

  it('shows the stack when TIDEMARK_DEBUG is set', async () => {
    expect((await tidemark(['status', '--config', 'elsewhere.yaml'], { TIDEMARK_DEBUG: '1' })).stderr).toMatch(
      /\n\s+at /,
    );
  });
});

describe.concurrent('tidemark doctor', () => {
  it('doctor runs every check, names remedies and exits with 1', async () => {
    const { code, stdout } = await tidemark(['doctor', '--json'], {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      TIDEMARK_API_KEY: 'k',
    });
    const findings = JSON.parse(stdout) as { check: string; state: string; todo: string | null }[];
    expect(Object.fromEntries(findings.map(({ check, state }) => [check, state]))).toEqual({
      configuration: 'ok',
      key: 'ok',
      api: 'fail',
      connector: 'skip',
      temporal: 'fail',
      workers: 'skip',
      disk: expect.stringMatching(/ok|warn/),
      landing: 'ok',
      modes: 'ok',
      warehouse: 'ok',
      models: 'ok',
      published: 'warn',
      proxy: 'skip',
      schedules: 'ok',
    });
    for (const { state, todo } of findings) if (state === 'fail' || state === 'warn') expect(todo).toBeTruthy();
    expect(code).toBe(1);
  });

  it('doctor warns about a key file and folders that others can read', async ({ onTestFinished }) => {
    const key = path.join(folder.dir, 'key-file');
    const dataDir = path.join(folder.dir, 'open');
    writeFileSync(key, 'a-key-of-some-length');
    mkdirSync(path.join(dataDir, 'landing'), { recursive: true });
    const file = path.join(folder.dir, 'open.yaml');
    writeFileSync(file, `${CONFIG}data: ${dataDir}\n`);
    vi.stubEnv('TIDEMARK_API_KEY_FILE', key);
    onTestFinished(() => void vi.unstubAllEnvs());
    const find = async () => Object.fromEntries((await runChecks(file)).map((finding) => [finding.check, finding]));
    for (const mode of [0o640, 0o604]) {
      chmodSync(key, mode);
      chmodSync(path.join(dataDir, 'landing'), mode | 0o100);
      const { key: found, modes, api } = await find();
      expect(found).toMatchObject({ state: 'warn', todo: expect.stringContaining(`chmod 600 ${key}`) as string });
      expect(api?.state).toBe('fail');
      expect(modes).toMatchObject({ state: 'warn', message: expect.stringContaining('landing') as string });
    }
    chmodSync(key, 0o600);
    chmodSync(path.join(dataDir, 'landing'), 0o700);
    expect(await find()).toMatchObject({ key: { state: 'ok' }, modes: { state: 'ok' } });
  });

  it('doctor runs without a configuration', async () => {
    const { code, stdout } = await runCli(['doctor'], { cwd: empty.dir, env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
    expect(stdout).toMatch(/✘ configuration +The configuration file .* does not exist/);
    expect(stdout).toMatch(/→ Run `tidemark init`/);
    expect(stdout).toMatch(/✘ temporal/);
    expect(code).toBe(1);
  });

  it('doctor reports an unreadable manifest', async () => {
    const dataDir = path.join(folder.dir, 'damaged');
    const run = path.join(dataDir, 'landing', 'companies', 'date=2026-11-20', 'run=r', '_manifest');
    mkdirSync(run, { recursive: true });
    writeFileSync(path.join(run, 'part-x.json'), '{}');
    const { stdout } = await tidemark(['doctor'], { TEMPORAL_ADDRESS: '127.0.0.1:1', TIDEMARK_DATA: dataDir });
    expect(stdout).toMatch(/✘ landing +Landing zone: .*part-x\.json is no manifest/);
  });
});
