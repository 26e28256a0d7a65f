import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readManifests } from '../../../../src/landing/index.js';
import { DeliveryLog } from '../../../../src/serve/webhooks/delivery-log.js';
import { createReceiver } from '../../../../src/serve/webhooks/receiver.js';
import { findLost, watchDisk } from '../../../helpers/recorded-disk.js';
import { Data } from '../../../../src/store/data.js';

vi.mock(import('node:fs'), async (original) =>
  (await import('../../../helpers/recorded-disk.js')).recordFs(await original()),
);
vi.mock(import('node:fs/promises'), async (original) =>
  (await import('../../../helpers/recorded-disk.js')).recordFsPromises(await original()),
);

const SECRET = 'a-secret-of-the-callback';
const clock = { now: () => new Date('2026-11-21T02:00:00.000Z') };

let dataDir: string;
let log: DeliveryLog | undefined;

beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidemark-power-cut-')));
  watchDisk(dataDir);
});
afterEach(async () => {
  await log?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const delivery = (id: number): string => JSON.stringify({ company_data: { id }, field: 'company.name' });

/** The deliveries that are not landed yet. */
const stored = (): string[] =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[\\/]_spool[\\/]part-[^\\/]+\.spool\.\d+$/.test(name))
    .map((name) => path.join(dataDir, name));

/** What a power cut would lose of all stored deliveries. */
function lostNow(): string[] {
  const kept = [...stored(), ...readManifests(dataDir).map(({ file }) => file)];
  return kept.length === 0 ? ['everything: nothing is kept'] : kept.flatMap(findLost);
}

describe('deliveries and power cuts', () => {
  test('keeps the first delivery in a new folder after a power cut', async () => {
    log = DeliveryLog.open(new Data(dataDir), clock);
    await log.keep(delivery(1), '1');
    expect(lostNow()).toEqual([]);
    await log.keep(delivery(2), '2');
    expect(lostNow()).toEqual([]);
  });

  test('keeps deliveries that arrive together after a power cut', async () => {
    log = DeliveryLog.open(new Data(dataDir), clock);
    const kept = [1, 2, 3, 4].map(async (id) => {
      await log?.keep(delivery(id), String(id));
      return lostNow();
    });
    expect((await Promise.all(kept)).flat()).toEqual([]);
  });

  test('keeps deliveries that fill a spool after a power cut', async () => {
    log = DeliveryLog.open(new Data(dataDir), clock, { limits: { rows: 2, bytes: 1_000_000 } });
    const kept = [1, 2, 3].map(async (id) => {
      await log?.keep(delivery(id), String(id));
      return lostNow();
    });
    expect((await Promise.all(kept)).flat()).toEqual([]);
  });

  test('keeps landed deliveries after a power cut', async () => {
    log = DeliveryLog.open(new Data(dataDir), clock);
    await log.keep(delivery(1), '1');
    await log.close();
    expect(lostNow()).toEqual([]);
    expect(stored()).toEqual([]);
  });

  test('makes a delivery durable before it answers 200', async () => {
    log = DeliveryLog.open(new Data(dataDir), clock);
    const keep = (body: string, company: string | null): Promise<void> =>
      log?.keep(body, company) ?? Promise.reject(new Error('closed'));
    const server = createReceiver({ path: '/events', secret: SECRET, keep }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const lost: string[] = [];
    // Checked when the answer is written, before the sender sees it.
    server.on('request', (_, response) => {
      const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => typeof response;
      response.writeHead = (...args: unknown[]) => {
        lost.push(...lostNow());
        return writeHead(...args);
      };
    });
    try {
      const { port } = server.address() as AddressInfo;
      const body = delivery(1);
      const signature = createHmac('sha256', SECRET).update(body).digest('hex');
      const url = `http://127.0.0.1:${port}/events`;
      const { status } = await fetch(url, { method: 'POST', body, headers: { 'x-svc-signature': signature } });
      expect({ status, lost }).toEqual({ status: 200, lost: [] });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
