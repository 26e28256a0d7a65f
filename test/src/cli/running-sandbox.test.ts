import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runningSandboxFile } from '../../../src/store/data-folder.js';
import { findPlace } from '../../../src/store/lock/holder.mjs';
import { createClock, dayIn } from '../../../src/base/time/clock.js';
import { recordSandbox, sandboxDays } from '../../../src/cli/running-sandbox.js';
import { startSandbox, type RunningSandbox } from '../../helpers/processes.js';
import { emptyFolder, runCli } from '../../helpers/run-cli.js';

// The address in the file is wrong: the running sandbox listens elsewhere, as when the demo's port was taken.
const LOCAL = "api: { baseUrl: 'http://127.0.0.1:1' }\nmarkets: [{ name: north }]\nnomenclatures: false\n";

let folder: ReturnType<typeof emptyFolder>;
let sandbox: RunningSandbox;
let dataDir: string;

beforeAll(async () => {
  folder = emptyFolder();
  dataDir = path.join(folder.dir, 'data');
  writeFileSync(path.join(folder.dir, 'tidemark.yaml'), LOCAL);
  sandbox = await startSandbox({ companies: 50, tenders: 0, key: 'key-of-this-sandbox' });
});

afterAll(async () => {
  await sandbox.stop();
  folder.remove();
});

const quota = async (env: Record<string, string> = {}) =>
  runCli(['quota', '--live', '--json'], { cwd: folder.dir, env });

describe('a command while a sandbox runs for its data folder', () => {
  it('asks that sandbox without a key, and says so', async () => {
    const forget = await recordSandbox(dataDir, { url: sandbox.url, key: 'key-of-this-sandbox' });
    const { code, stdout, stderr } = await quota();
    expect(stderr.match(/Asking the sandbox .* runs for this data folder: http:\/\/127/g)).toHaveLength(1);
    expect(JSON.parse(stdout)).not.toEqual([]);
    expect(code).toBe(0);
    expect(statSync(runningSandboxFile(dataDir)).mode & 0o777).toBe(0o600);
    await forget();
    expect(existsSync(runningSandboxFile(dataDir))).toBe(false);
  });

  it('prefers a key from the environment, and an API on another host', async () => {
    const forget = await recordSandbox(dataDir, { url: sandbox.url, key: 'key-of-this-sandbox' });
    expect((await quota({ TIDEMARK_API_KEY: 'another-key' })).stderr).toMatch(/127\.0\.0\.1:1: /);
    const real = { TIDEMARK_API_URL: 'https://api.example.invalid' };
    expect((await quota(real)).stderr).toMatch(/No API key/);
    await forget();
  });

  it('never asks the default address of a sandbox that runs for no or another data folder', async () => {
    const other = emptyFolder();
    writeFileSync(path.join(other.dir, 'tidemark.yaml'), LOCAL.replace(":1'", ":4010'"));
    const ask = async (env: Record<string, string> = {}) => runCli(['quota', '--live'], { cwd: other.dir, env });
    mkdirSync(path.join(other.dir, 'data', 'secrets'), { recursive: true });
    writeFileSync(path.join(other.dir, 'data', 'secrets', 'api-key'), 'key-of-this-sandbox', { mode: 0o600 });
    const { code, stderr } = await ask();
    expect([code, stderr]).toEqual([1, expect.stringContaining('No sandbox runs for the data folder')]);
    expect(stderr).toContain('up --sandbox');
    // With a key from the environment, it asks.
    expect((await ask({ TIDEMARK_API_KEY: 'some-key' })).stderr).not.toContain('No sandbox runs');
    other.remove();
  });

  it('asks the sandbox of an earlier demo again after a second demo ended', async () => {
    const earlier = { pid: process.ppid, place: findPlace(), url: sandbox.url, key: 'key-of-this-sandbox' };
    mkdirSync(path.dirname(runningSandboxFile(dataDir)), { recursive: true });
    writeFileSync(runningSandboxFile(dataDir), JSON.stringify(earlier));
    const forget = await recordSandbox(dataDir, { url: 'http://127.0.0.1:1', key: 'another-key' });
    await forget();
    expect((await quota()).code).toBe(0);
    rmSync(runningSandboxFile(dataDir));
  });

  it('asks for a key once the sandbox has ended', async () => {
    expect((await quota()).stderr).toMatch(/No API key/);
  });
});

describe('tidemark sandbox day', () => {
  const run = async (...args: string[]) => runCli(['sandbox', 'day', ...args], { cwd: folder.dir });
  const later = (days: number) => dayIn('UTC', new Date(Date.now() + days * 86_400_000));

  it('moves the market, the quota and the clock to the next day, then to a date', async () => {
    const forget = await recordSandbox(dataDir, { url: sandbox.url, key: 'key-of-this-sandbox' });
    const clock = createClock({}, sandboxDays(dataDir));
    await expect.poll(() => dayIn('UTC', clock.now())).toBe(later(0));
    const { code, stdout } = await run('--json');
    expect(JSON.parse(stdout)).toMatchObject({ day: 1, date: later(1), quota: { used: 0 } });
    expect(code).toBe(0);
    await expect.poll(() => dayIn('UTC', clock.now())).toBe(later(1));
    expect((await run(later(5))).stdout).toContain(`Sandbox: ${later(5)}, `);
    await expect.poll(() => dayIn('UTC', clock.now())).toBe(later(5));
    expect(dayIn('UTC', createClock({ TIDEMARK_NOW: '2026-01-02T00:00:00Z' }, () => 9).now())).toBe('2026-01-02');
    const back = await run(later(2));
    expect([back.code, back.stderr]).toEqual([2, expect.stringMatching(/already on .* cannot go back/)]);
    await forget();
    await expect.poll(() => dayIn('UTC', clock.now())).toBe(later(0));
  });

  it('says how to start a sandbox if none runs', async () => {
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('tidemark up --sandbox') as string });
    expect((await run('tomorrow')).code).toBe(2);
  });

  it('refuses options of the sandbox without --sandbox', async () => {
    const { code, stderr } = await runCli(['up', '--daily-limit', '5'], { cwd: folder.dir });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--daily-limit is an option of the sandbox')]);
  });
});
