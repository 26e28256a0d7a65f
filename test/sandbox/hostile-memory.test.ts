import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanEnv, startProcess, type RunningProcess } from '../helpers/processes.js';
import { RawSocket } from './raw-socket.js';

/* A sandbox with little memory gets far more data than fits; keeping any of it would crash it. */

/** Heap in MiB; a ready sandbox takes about 60. */
const HEAP = 160;
const MEGABYTE = 900_000;

let sandbox: RunningProcess;
let url: string;
let headers: Record<string, string>;
beforeAll(async () => {
  const running = await startProcess(['--import', 'tsx', 'sandbox/server.ts', '--port', '0', '--companies', '2000'], {
    env: cleanEnv({ NODE_OPTIONS: `--max-old-space-size=${HEAP}` }),
    ready: /^\{"sandbox"/,
  });
  sandbox = running;
  const said = JSON.parse(running.readyLine) as { sandbox: string; key: string };
  url = said.sandbox;
  headers = { authorization: `Token ${said.key}`, 'content-type': 'application/json' };
});
afterAll(() => sandbox.stop());

async function post(path: string, body: string): Promise<number> {
  const response = await fetch(url + path, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Sends 250 different bodies of about a megabyte; returns the distinct statuses. */
async function flood(path: string, bodyOf: (filler: string) => string): Promise<number[]> {
  const statuses = new Set<number>();
  for (let n = 0; n < 250; n++) statuses.add(await post(path, bodyOf(`${n}-`.padEnd(MEGABYTE, 'x'))));
  return [...statuses];
}

it('stays within memory while answering 250 searches of a megabyte', async () => {
  expect(await flood('/v2/prospecting', (filler) => JSON.stringify({ filters: { location_zip: [filler] } }))).toEqual([
    200,
  ]);
  expect(await flood('/v2/overview', (filler) => JSON.stringify({ name: filler }))).toEqual([200]);
});

it('stays within memory while storing 250 payee checks of a megabyte', async () => {
  const check = { country_code: 'GB', id_scheme: 'ACNR', id: '1' };
  expect(await flood('/v2/know-your-payee', (filler) => JSON.stringify({ ...check, holding_entity: filler }))).toEqual([
    201,
  ]);
});

it('stays within memory while refusing 250 bodies of a megabyte', async () => {
  expect(await flood('/v2/prospecting', (filler) => `{"page": "${filler}"}`)).toEqual([400]);
  expect(await flood('/v1/finder/companies', (filler) => `{"${filler}": 1`)).toEqual([406]);
});

it('stays within memory while 400 bodies break off', async () => {
  for (let n = 0; n < 400; n++) {
    const raw = new RawSocket(url);
    raw.send(
      `POST /v2/prospecting HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers['authorization']}\r\n` +
        `Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n${' '.repeat(MEGABYTE)}`,
    );
    raw.socket.end();
    expect(await raw.untilClosed()).toMatch(/^(HTTP\/1\.1 400 |$)/);
  }
  expect((await fetch(`${url}/v2/metrics`, { headers })).status).toBe(200);
});
