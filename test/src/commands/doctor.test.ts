import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder, runCli } from '../../helpers/run-cli.js';
import { startApp, type Running } from '../../sandbox/running.js';

let app: Running;
const folder = emptyFolder();
beforeAll(async () => {
  app = await startApp({ companies: 30 });
});
afterAll(async () => {
  await app?.close();
  folder.remove();
});

interface Found {
  check: string;
  state: string;
  message: string;
}

/** What doctor finds about the connector. */
async function connector(api: object): Promise<Found | undefined> {
  writeFileSync(path.join(folder.dir, 'tidemark.yaml'), JSON.stringify({ api: { baseUrl: app.url, ...api } }));
  const env = { TIDEMARK_API_KEY: app.sandbox.options.key };
  const { stdout } = await runCli(['doctor', '--json'], { cwd: folder.dir, env });
  return (JSON.parse(stdout) as Found[]).find(({ check }) => check === 'connector');
}

it('asks the connector whether the key is valid', async () => {
  expect(await connector({})).toMatchObject({ state: 'ok', message: `${app.url} says that the key is valid` });
});

it('warns about a named connector that does not answer', async () => {
  const found = await connector({ connectorUrl: 'http://127.0.0.1:9' });
  expect(found).toMatchObject({ state: 'warn', message: expect.stringContaining('ECONNREFUSED') });
});
