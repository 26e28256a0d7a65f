import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../../src/cli/terminal/ports.js';
import { readManifests, readPartRows } from '../../../../src/landing/index.js';
import { canMakePidNamespaces } from '../../../helpers/pid-namespace.js';
import { cleanEnv, startProcess } from '../../../helpers/processes.js';
import { startReceiver, type ReceiverProcess } from '../../../helpers/receiver-process.js';

// How the receivers see each other. Where namespaces cannot be created, different places simulate equal process ids.
const ELSEWHERE: Case = canMakePidNamespaces()
  ? { name: 'in containers, each process 1', place: () => ({ inNamespace: true }) }
  : { name: 'on two machines (no process namespaces here)', place: (n) => ({ place: `machine ${n}` }) };
const PLACES: Case[] = [{ name: 'on one machine', place: () => ({}) }, ELSEWHERE];

interface Case {
  name: string;
  place: (n: number) => Parameters<typeof startReceiver>[1];
}

let dataDir: string;
let running: ReceiverProcess[];
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-receivers-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((receiver) => receiver.stop('SIGKILL')));
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startReceiver>[1]): Promise<ReceiverProcess> {
  const receiver = await startReceiver(dataDir, options);
  running.push(receiver);
  return receiver;
}

const delivery = (id: number): string =>
  JSON.stringify({ company_data: { id, date: '2026-11-20T10:00:00Z' }, field: 'company.name', status: 'UPDATE' });

function landed(): string[] {
  return readManifests(dataDir, { stream: 'watch_events' })
    .flatMap(readPartRows)
    .map(({ body }) => body);
}

/** Waits until all of these have landed; returns the missing ones after a long timeout. */
async function missing(bodies: readonly string[]): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const there = new Set(landed());
    const absent = bodies.filter((body) => !there.has(body));
    if (absent.length === 0 || tries === 200) return absent;
    await sleep(100);
  }
}

function leftFiles(): string[] {
  // A killed receiver may leave the temporary file of a delivery that it did not answer.
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => /\.spool(?!.*\.tmp$)/.test(name));
}

describe.each(PLACES)('two receivers of one data folder, $name', ({ place }) => {
  it('keeps every delivery answered 200 while two receivers are killed', async () => {
    const acknowledged: string[] = [];
    const pair = [await start(place(0)), await start(place(1))];
    const state = { stop: false, next: 0 };
    // Sends deliveries to both without a pause, as a load balancer does. A delivery not answered 200 would be retried.
    const sending = pair.map(async (_, n) => {
      while (!state.stop) {
        const body = delivery(state.next++);
        if ((await pair[n]?.deliver(body)) === 200) acknowledged.push(body);
        await sleep(5);
      }
    });
    for (let round = 0; round < 4; round++) {
      const victim = round % 2;
      await sleep(100 + round * 50);
      await pair[victim]?.stop('SIGKILL');
      pair[victim] = await start(place(victim));
    }
    state.stop = true;
    await Promise.all(sending);
    expect(acknowledged.length).toBeGreaterThanOrEqual(100);
    expect(await missing(acknowledged)).toEqual([]);
    await Promise.all(pair.map((receiver) => receiver.stop()));
    expect(leftFiles()).toEqual([]);
    expect(landed().length).toBe(new Set(landed()).size);
  });
});

describe('a frozen receiver', () => {
  it('acknowledges nothing into a spool that another receiver took over', async () => {
    const frozen = await start({ commitEveryMs: 60_000 });
    expect(await frozen.deliver(delivery(1))).toBe(200);
    frozen.signal('SIGSTOP');
    const sent = Array.from({ length: 20 }, (_, i) => delivery(100 + i));
    const answers = Promise.all(sent.map((body) => frozen.deliver(body)));
    const other = await start({});
    expect(await missing([delivery(1)])).toEqual([]);
    frozen.signal('SIGCONT');
    const acknowledged = (await answers).flatMap((status, i) => (status === 200 ? [sent[i] ?? ''] : []));
    // Not all deliveries are answered 200: while the receiver was frozen, open connections may have timed out.
    expect(acknowledged.length).toBeGreaterThan(10);
    // A receiver lands its open spool when it stops.
    await Promise.all([frozen.stop(), other.stop()]);
    expect(await missing(acknowledged)).toEqual([]);
    expect(leftFiles()).toEqual([]);
  });
});

describe('tidemark watch listen', () => {
  it('starts next to another receiver', async () => {
    writeFileSync(
      path.join(dataDir, 'tidemark.yaml'),
      `api: { baseUrl: 'http://127.0.0.1:1' }\ndata: .\nmarkets: [{ name: m }]\n`,
    );
    const listen = async () => {
      const port = await freePort(24_020);
      const args = ['--import', 'tsx', 'src/cli/cli.ts', 'watch', 'listen', '--port', String(port)];
      const env = cleanEnv({ TIDEMARK_CONFIG: path.join(dataDir, 'tidemark.yaml'), TIDEMARK_WEBHOOK_SECRET: 'secret' });
      return startProcess(args, { env, ready: /Listening on/ });
    };
    const first = await listen();
    const second = await listen();
    await first.stop();
    await second.stop();
    expect([first.child.exitCode, second.child.exitCode]).toEqual([0, 0]);
  });
});
