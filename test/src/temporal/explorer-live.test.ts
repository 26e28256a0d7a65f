import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readLive } from '../../../src/cli/explorer/live.js';
import { createClock } from '../../../src/base/time/clock.js';
import { exampleConfig } from '../../../src/config/config-in-force.js';

let dataDir: string;
let silent: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-live-'));
  // Accepts connections, and never says a word.
  silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
  rmSync(dataDir, { recursive: true, force: true });
});

it.each([
  ['nothing listens', () => '127.0.0.1:1'],
  ['a server accepts connections and stays silent', () => `127.0.0.1:${(silent.address() as AddressInfo).port}`],
])('says that Temporal does not answer, and where, if %s', async (_, address) => {
  vi.stubEnv('TEMPORAL_ADDRESS', address());
  const context = { config: { ...exampleConfig({}), dataDir }, clock: createClock() };
  expect(await readLive(context)).toMatchObject({
    reachable: false,
    address: address(),
    error: expect.stringContaining(`Temporal does not answer at ${address()}`),
    running: [],
  });
});
