import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../../../src/config/config.js';
import { createSecretFinder } from '../../../helpers/find-secret.js';
import { cleanEnv, compiled, ROOT, startSandbox, type RunningSandbox } from '../../../helpers/processes.js';
import { startStub } from '../../../stub/index.js';
import { emptyFolder, runCli, type CliResult } from '../../../helpers/run-cli.js';

const KEY = 'init-key-71c0b5e2aa94';
const OTHER_KEY = 'init-key-other-5d20c9';
const ENV = { TZ: 'Europe/Berlin' };
const SCHEMA = path.join(ROOT, 'tidemark.schema.json');
const finder = createSecretFinder(KEY);
const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(
  JSON.parse(readFileSync(SCHEMA, 'utf8')) as object,
);

let sandbox: RunningSandbox;
let folder: ReturnType<typeof emptyFolder>;

beforeAll(async () => {
  sandbox = await startSandbox({ companies: 400, key: KEY });
  await fetch(`${sandbox.url}/_sandbox/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: OTHER_KEY, permissions: 'all' }),
  });
});
afterAll(async () => sandbox.stop());
beforeEach(() => {
  folder = emptyFolder();
});
afterEach(() => folder.remove());

const at = (name: string): string => path.join(folder.dir, name);
const read = (name = 'tidemark.yaml'): string => readFileSync(at(name), 'utf8');
const init = async (args: string[], env: Record<string, string> = {}): Promise<CliResult> =>
  runCli(['init', ...args], { cwd: folder.dir, env: { ...ENV, ...env } });
const withKey = (key = KEY): string[] => {
  writeFileSync(at('key.txt'), `${key}\n`, { mode: 0o600 });
  return ['--url', sandbox.url, '--key-file', 'key.txt'];
};

describe('tidemark init without a terminal', () => {
  it('writes a market of named countries, industries and sizes, and stores the key', async () => {
    const args = ['--country', 'denmark', 'SE', '--industry', 'Food', '--size', 'small', 'medium', '--yes'];
    const { code, stdout, stderr } = await init([...withKey(), ...args]);
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/market, .*companies, .*requests[^]*Wrote tide/)]);
    const [market] = loadConfig(at('tidemark.yaml'), {}).markets;
    const countries = (await lists()).countries.filter(({ short_name }) => /DK|SE/.test(short_name));
    expect(market).toMatchObject({
      name: 'market',
      filters: {
        location_countries: { include: countries.map(({ id }) => id) },
        industry_focus: ['Food'],
        number_of_employees: { gte: 10, lte: 249 },
      },
      schedule: { cron: '30 4 * * *', timezone: 'Europe/Berlin' },
    });
    expect(read()).toMatch(/- \d+ # Denmark\n +- \d+ # Sweden\n/);
    expect(isValid(parse(read())), JSON.stringify(isValid.errors)).toBe(true);
    expect(read().split('\n')[0]).toBe(`# yaml-language-server: $schema=${SCHEMA}`);
    expect(statSync(at('data/secrets/api-key')).mode & 0o777).toBe(0o600);
    expect(finder.inText(stdout + stderr + read())).toEqual([]);
    const check = await runCli(['login', '--check'], { cwd: folder.dir, env: ENV });
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('accepts the API key')]);
  });

  it('forecasts the companies that the filters select', async () => {
    const { stdout } = await init([...withKey(), '--country', 'DK', '--json']);
    expect(stdout).toBe('');
    const all = JSON.parse((await init([...withKey(), '--yes', '--json'])).stdout) as {
      forecast: { companies: number };
    };
    const some = await init([...withKey(), '--country', 'DK', '--yes', '--json', '--config', 'dk.yaml']);
    const danish = JSON.parse(some.stdout) as { file: string; market: string; forecast: { companies: number } };
    expect(all.forecast.companies).toBe(400);
    expect(danish).toMatchObject({ file: at('dk.yaml'), market: 'denmark' });
    expect(danish.forecast.companies).toBeLessThan(400);
    expect(danish.forecast.companies).toBeGreaterThan(0);
  });

  it('counts every request of the forecast', async () => {
    await fetch(`${sandbox.url}/_sandbox/requests`, { method: 'DELETE' });
    const { stdout } = await init([...withKey(), '--yes', '--json']);
    const { forecast } = JSON.parse(stdout) as { forecast: { spent: number } };
    const { total } = (await (await fetch(`${sandbox.url}/_sandbox/requests`)).json()) as { total: number };
    // The forecast does not count the request that checks the API key.
    expect(forecast.spent).toBe(total - 1);
  });

  it('needs no key and no address for the sandbox', async () => {
    const { code, stdout } = await init(['--sandbox', '--yes', '--at', 'none']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('npx tidemark up --sandbox')]);
    const config = loadConfig(at('tidemark.yaml'), {});
    expect(config.api.baseUrl).toBe('http://127.0.0.1:4010');
    expect(config.markets[0]).toMatchObject({ name: 'market', filters: {} });
    expect(config.markets[0]?.schedule).toBeUndefined();
    expect(existsSync(at('data/secrets/api-key'))).toBe(true);
  });

  it('takes the key from the environment without storing it', async () => {
    const { code } = await init(['--url', `${sandbox.url}/v2/`, '--yes'], { TIDEMARK_API_KEY: KEY });
    expect(code).toBe(0);
    expect(loadConfig(at('tidemark.yaml'), {}).api.baseUrl).toBe(sandbox.url);
    expect(existsSync(at('data/secrets'))).toBe(false);
  });

  it('works with an API that has no connector and refuses filters', async () => {
    const stub = await startStub({});
    try {
      const args = ['--url', stub.url, '--yes', '--json'];
      const env = { TIDEMARK_API_KEY: stub.key };
      const refused = await init([...args, '--country', 'Denmark'], env);
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringMatching(/refuses the filters[^]*Leave out the/),
      ]);
      expect(existsSync(at('tidemark.yaml'))).toBe(false);
      const { code, stderr } = await init(args, env);
      expect([code, existsSync(at('tidemark.yaml'))], stderr).toEqual([0, true]);
    } finally {
      await stub.close();
    }
  });

  it('refuses to replace a file, and sends no request', async () => {
    writeFileSync(at('tidemark.yaml'), 'mine');
    const { code, stderr } = await init(['--url', 'http://127.0.0.1:1', '--yes'], { TIDEMARK_API_KEY: KEY });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/exists, and[^]*--config other\.yaml/)]);
    expect(read()).toBe('mine');
  });

  it.each<[string[], number, RegExp]>([
    [[], 2, /there is no terminal\. Missing: --url ADDRESS \(or --sandbox\), --key-file FILE .*, --yes/],
    [['--sandbox'], 2, /Missing: --yes\./],
    [['--sandbox', '--url', 'http://x', '--yes'], 2, /--sandbox and --url contradict/],
    [['--url', 'ftp://x', '--key-file', 'key.txt', '--yes'], 2, /--url must be an http\(s\) address/],
    [['--url', 'http://127.0.0.1:1', '--key-file', 'none', '--yes'], 2, /cannot be read from none[^]*--key-file must/],
    [
      ['--url', 'http://127.0.0.1:1', '--key-file', 'key.txt', '--yes'],
      1,
      /Cannot use the API at http:\/\/127\.0\.0\.1:1[^]*Check the address/,
    ],
    [['--sandbox', '--yes', '--country', 'Denmrak'], 2, /"Denmrak" is not a known country\. Did you mean "Denmark"\?/],
    [
      ['--sandbox', '--yes', '--country', 'xyzzy'],
      2,
      /"xyzzy" is not a known country\.\n.*knows 249 names, such as Afghanistan/,
    ],
    [['--sandbox', '--yes', '--industry', 'Fod'], 2, /"Fod" is not a known industry\. Did you mean "Food"/],
    [['--sandbox', '--yes', '--size', 'tiny'], 2, /"tiny" is not a size\.\n.*micro, small/],
    [['--sandbox', '--yes', '--size', 'micro', 'large'], 2, /gap: nothing covers 10 to 249 employees/],
    [['--sandbox', '--yes', '--market', 'Big Market'], 2, /--market must .*lower-case letter/],
    [['--sandbox', '--yes', '--at', '25:00'], 2, /--at must be a time like 02:00/],
    [['--sandbox', '--yes', '--timezone', 'Mars'], 2, /--timezone must be an IANA time zone/],
  ])('names cause and remedy, and writes nothing: %j', async (args, expected, words) => {
    withKey();
    const { code, stdout, stderr } = await init(args);
    expect(stderr).toMatch(words);
    expect([code, stdout]).toEqual([expected, '']);
    expect([existsSync(at('tidemark.yaml')), existsSync(at('data'))]).toEqual([false, false]);
  });

  it('keeps data and key of another configuration apart, and names the file in each next step', async () => {
    const first = await init([...withKey(), '--yes']);
    expect(first.code, first.stderr).toBe(0);
    const stored = readFileSync(at('data/secrets/api-key'), 'utf8');
    writeFileSync(at('other.txt'), `${OTHER_KEY}\n`, { mode: 0o600 });
    const args = ['--config', 'my other.yaml', '--url', sandbox.url, '--key-file', 'other.txt', '--yes'];
    const { code, stdout, stderr } = await init(args);
    expect([code, readFileSync(at('data/secrets/api-key'), 'utf8')], stderr).toEqual([0, stored]);
    expect(readFileSync(at('data-my other/secrets/api-key'), 'utf8')).toBe(`${OTHER_KEY}\n`);
    expect(loadConfig(at('my other.yaml'), {}).dataDir).toBe(at('data-my other'));
    const lines = stdout.match(/^ +npx tidemark .*$/gm) ?? [];
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line).toMatch(/ --config 'my other\.yaml'$/);
  });

  it('replaces no stored key without asking', async () => {
    expect((await init([...withKey(), '--yes'])).code).toBe(0);
    const stored = readFileSync(at('data/secrets/api-key'), 'utf8');
    writeFileSync(at('other.txt'), `${OTHER_KEY}\n`, { mode: 0o600 });
    rmSync(at('tidemark.yaml'));
    const { code, stderr } = await init(['--url', sandbox.url, '--key-file', 'other.txt', '--yes']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /would replace the stored API key for http:\/\/127[^]*Nothing was written[^]*tidemark logout/,
      ),
    ]);
    expect(stderr).not.toContain(OTHER_KEY);
    expect([existsSync(at('tidemark.yaml')), readFileSync(at('data/secrets/api-key'), 'utf8')]).toEqual([
      false,
      stored,
    ]);
    // The same key is no change.
    expect((await init([...withKey(), '--yes'])).code).toBe(0);
  });

  it('gives a real API another data folder than the demo', async () => {
    mkdirSync(at('data'));
    writeFileSync(at('data/demo-began'), '2026-11-20\n');
    const { code, stdout, stderr } = await init([...withKey(), '--yes']);
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining('It uses the data folder ./data-api')]);
    expect(loadConfig(at('tidemark.yaml'), {}).dataDir).toBe(at('data-api'));
  });

  it('does not store a key that the API refuses', async () => {
    const { code, stderr } = await init([...withKey('wrong-key-123456'), '--yes']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/refuses the API key \(from key\.txt\)[^]*Copy the API key/),
    ]);
    expect(stderr).not.toContain('wrong-key-123456');
    expect(existsSync(at('data'))).toBe(false);
  });
});

describe('tidemark init in a terminal of 60 columns', () => {
  const hasScript = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
  let child: ChildProcessWithoutNullStreams | undefined;

  afterEach(() => {
    child?.kill('SIGKILL');
    child = undefined;
  });

  /** Types into the command each time that its output shows a question. */
  async function answer(
    args: string,
    dialog: [question: RegExp, typed: string][],
  ): Promise<{ code: number; shown: string }> {
    const command = [process.execPath, ...compiled([path.join(ROOT, 'bin', 'tidemark.mjs'), 'init'])];
    const line = `stty cols 60 rows 40; exec ${command.join(' ')} ${args}`;
    const running = spawn('script', ['-qec', line, '/dev/null'], { cwd: folder.dir, env: cleanEnv(ENV) });
    child = running;
    let shown = '';
    let from = 0;
    running.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += stripVTControlCharacters(text);
    });
    const ended = once(running, 'close');
    for (const [question, typed] of dialog) {
      await expect.poll(() => shown.slice(from), { timeout: 20_000 }).toMatch(question);
      from = shown.length;
      running.stdin.write(typed);
    }
    const [code] = (await ended) as [number];
    return { code, shown };
  }

  beforeEach(({ skip }) => skip(!hasScript, 'no program `script` here, which makes a terminal'));

  it('asks again after a wrong key, and writes what the person chose', async () => {
    const { code, shown } = await answer('', [
      [/Which data\?/, '\r'],
      [/Address of the API/, `${sandbox.url}\r`],
      [/API key \(not shown\)/, 'wrong-key-123456\r'],
      [/refuses the API key[^]*API key \(not shown\)/, `${KEY}\r`],
      [/Countries/, 'denm'],
      [/1 match/, '\t'],
      [/◼ Denmark/, '\r'],
      [/Industries/, '\r'],
      [/Sizes/, '\r'],
      [/Name of the market/, '\r'],
      [/Time of the nightly run/, '\r'],
      [/Time zone/, '\r'],
      [/Write tidemark\.yaml\?/, '\r'],
    ]);
    expect([code, shown]).toEqual([0, expect.stringContaining('Wrote tidemark.yaml')]);
    expect(loadConfig(at('tidemark.yaml'), {}).markets[0]).toMatchObject({
      name: 'denmark',
      filters: { location_countries: { include: [expect.any(Number)] } },
    });
    expect(readFileSync(at('data/secrets/api-key'), 'utf8')).toBe(`${KEY}\n`);
    expect(finder.inText(shown + read())).toEqual([]);
  });

  it('keeps a file unless the person agrees to replace it', async () => {
    writeFileSync(at('tidemark.yaml'), 'mine');
    const { code, shown } = await answer('--sandbox', [[/tidemark\.yaml exists\. Replace it\?/, '\r']]);
    expect([code, shown]).toEqual([1, expect.stringContaining('Nothing was written.')]);
    expect(read()).toBe('mine');
  });

  it('writes nothing after Ctrl-C', async () => {
    const { code, shown } = await answer('', [[/Which data\?/, '\u0003']]);
    expect([code, shown]).toEqual([130, expect.stringContaining('Nothing was written.')]);
    expect([existsSync(at('tidemark.yaml')), existsSync(at('data'))]).toEqual([false, false]);
  });
});

async function lists(): Promise<{ countries: { id: number; short_name: string }[] }> {
  const headers = { authorization: `Token ${KEY}` };
  return (await (await fetch(`${sandbox.url}/v1/finder/nomenclatures`, { headers })).json()) as never;
}
