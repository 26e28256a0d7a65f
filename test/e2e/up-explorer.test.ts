import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { openBeside } from '../../src/cli/explorer/open-explorer.js';
import { freePort } from '../../src/cli/terminal/ports.js';
import { loadConfig } from '../../src/config/config.js';
import { createClock } from '../../src/base/time/clock.js';
import type { Explorer } from '../../src/serve/explorer/explorer.js';
import { cleanEnv, startProcess, type RunningProcess } from '../helpers/processes.js';
import { emptyFolder } from '../helpers/run-cli.js';

let folder: ReturnType<typeof emptyFolder>;
let up: RunningProcess & { readyLine: string };
/** Has the usual port of the explorer, unless another process has it. */
let other: Explorer | null;

beforeAll(async () => {
  folder = emptyFolder();
  const file = path.join(folder.dir, 'tidemark.yaml');
  writeFileSync(
    file,
    stringify({ api: { baseUrl: 'http://127.0.0.1:1' }, data: './data', markets: [{ name: 'demo' }] }),
  );
  other = await openBeside({ config: loadConfig(file, {}), clock: createClock() });
  const ports = { '--port': 17_333, '--ui-port': 18_333, '--sandbox-port': 14_110 };
  const free = await Promise.all(
    Object.entries(ports).map(async ([flag, port]) => [flag, String(await freePort(port))]),
  );
  up = await startProcess(['bin/tidemark.mjs', 'up', '--sandbox', ...free.flat()], {
    cwd: folder.dir,
    env: cleanEnv({}),
    ready: /^Explorer +http/,
  });
});
afterAll(async () => {
  await up?.stop('SIGINT');
  await other?.close();
  folder?.remove();
});

it('starts the explorer on the next free port, says that nothing is published, and closes it', async () => {
  const address = /http:\S+/.exec(up.readyLine)?.[0] ?? '';
  expect(other?.port).not.toBe(Number(new URL(address).port));
  const signIn = await fetch(address, { redirect: 'manual' });
  expect(signIn.status).toBe(303);
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const ask = async (at: string): Promise<Response> => fetch(new URL(at, address), { headers: { cookie } });
  expect((await ask('/')).status).toBe(200);
  const about = await ask('/api/v1/about');
  expect([about.status, await about.json()]).toEqual([
    503,
    { error: { message: expect.stringContaining('no published warehouse'), todo: expect.any(String) } },
  ]);
  expect(await (await ask('/api/v1/live')).json()).toMatchObject({ reachable: true, running: [] });
  await up.stop('SIGINT');
  expect(up.child.exitCode).toBe(0);
  await expect(fetch(address)).rejects.toThrow('fetch failed');
});
