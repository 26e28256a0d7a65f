import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runningSandboxFile } from '../../../src/core/data-folder.js';
import { findPlace } from '../../../src/core/lock.js';
import { recordSandbox } from '../../../src/commands/local/running-sandbox.js';
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
