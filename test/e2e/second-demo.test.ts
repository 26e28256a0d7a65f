import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv, ROOT } from '../helpers/processes.js';
import { hasPty, runInPty, type InPty } from '../helpers/pty.js';
import { emptyFolder, runCli } from '../helpers/run-cli.js';
import { waitUntil } from '../helpers/sandbox.js';

const SIZE = ['--companies', '100', '--tenders', '5'];
const WIDTH = 60;

describe.skipIf(!hasPty())('a demo that keeps running in a terminal', () => {
  let folder: ReturnType<typeof emptyFolder>;
  let first: InPty;

  const inSecondTerminal = (...args: string[]) => runCli(args, { cwd: folder.dir });

  beforeAll(async () => {
    folder = emptyFolder();
    const command = [process.execPath, path.join(ROOT, 'bin', 'tidemark.mjs'), 'demo', ...SIZE];
    first = runInPty(command, { columns: WIDTH, cwd: folder.dir, env: cleanEnv({}) });
    const ended = first.ended.then((code) => Promise.reject(new Error(`the demo ended with ${code}: ${first.raw()}`)));
    await Promise.race([
      waitUntil('the demo waits for Ctrl-C', () => Promise.resolve(/Ctrl-C\s+stops\s+them/.test(first.raw()))),
      ended,
    ]);
  });

  afterAll(async () => {
    if (first.child.exitCode === null) first.child.stdin?.write('\x03');
    await first.ended;
    folder.remove();
  });

  /** The address that the demo printed. */
  const explorer = (): string => /Explore it[^]*?(http:\S+token\S+)/.exec(first.lines().join(' '))?.[1] ?? '';

  it('shows its whole output in 60 columns', () => {
    const lines = first.lines().map((line) => line.trimEnd());
    // Examples and paths are one word, so that a person can copy them.
    const wide = lines.filter((line) => line.length > WIDTH && /\s/.test(line.trim()));
    expect(wide).toEqual([]);
    const text = lines.map((line) => line.trim()).join(' ');
    for (const words of ['100 of 100 companies (100 %)', 'npx tidemark sql', 'Sandbox API', 'API key'])
      expect(text).toContain(words);
  });

  it('serves the explorer of what it published', async () => {
    const signIn = await fetch(explorer(), { redirect: 'manual' });
    expect(signIn.status).toBe(303);
    const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const answer = await fetch(new URL('/api/v1/markets', explorer()), { headers: { cookie } });
    expect(await answer.json()).toMatchObject({ nights: [{ market: 'demo', companies: 100 }] });
  });

  it('gives its sandbox and key to commands in a second terminal', async () => {
    const quota = await inSecondTerminal('quota', '--live');
    expect([quota.code, quota.stderr]).toEqual([
      0,
      expect.stringMatching(/^Asking the sandbox that `demo` or `up` runs/),
    ]);
    const status = await inSecondTerminal('status');
    expect(status.stdout).toMatch(/Running {4}nothing[^]*Published[^]*marketSnapshot demo/);
    const snapshot = await inSecondTerminal('snapshot');
    expect([snapshot.code, snapshot.stdout]).toEqual([0, expect.stringMatching(/complete[^]*100 of 100 companies/)]);
  });

  it('lets a second demo in the same folder use its servers, and keeps running', async () => {
    const second = await inSecondTerminal('demo', '--once', ...SIZE);
    expect(second.stderr).not.toMatch(/^\s+at /m);
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('Done in')]);
    const status = await inSecondTerminal('status');
    expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/Published/)]);
    expect((await inSecondTerminal('quota', '--live')).code).toBe(0);
  });

  it('lets a demo in another folder run beside it on other ports', async () => {
    const other = emptyFolder();
    try {
      const { code, stdout, stderr } = await runCli(['demo', '--once', ...SIZE], { cwd: other.dir });
      expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/Done in/)]);
      // Its servers end with it, so their addresses are shown only while they run.
      expect(stdout).not.toMatch(/http:/);
      const address = /Sandbox API +(http:\S+)/;
      expect(address.exec(stderr)?.[1]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(address.exec(stderr)?.[1]).not.toBe(address.exec(first.raw())?.[1]);
      expect(stderr).not.toMatch(/^\s+at /m);
    } finally {
      other.remove();
    }
  });

  it('closes the explorer at Ctrl-C', async () => {
    first.child.stdin?.write('\x03');
    await first.ended;
    await expect(fetch(explorer())).rejects.toThrow('fetch failed');
  });
});
