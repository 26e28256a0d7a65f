import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SIGNATURE_HEADER, WebhookDelivery } from '../../schemas/v2/watch.js';
import type { Delivery } from '../../sandbox/state/webhooks.js';
import { startApp, type Running } from './running.js';

/** A line that the receiver prints. */
interface Said {
  port?: number;
  ready?: true;
  genuine?: boolean;
  type?: string;
  event?: unknown;
}

const pythonIsHere = spawnSync('python3', ['--version']).status === 0;
let app: Running;
let python: ChildProcess;
let said: Said[];
let callback: string;

beforeEach(async ({ skip }) => {
  skip(!pythonIsHere, 'no python3 on PATH: the receiver is written in Python');
  said = [];
  python = spawn('python3', [path.join(import.meta.dirname, 'receivers/receiver.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  createInterface({ input: python.stdout! }).on('line', (line) => said.push(JSON.parse(line) as Said));
  const { port } = await until(() => said.find((line) => line.port !== undefined));
  callback = `http://127.0.0.1:${port}/events`;
  app = await startApp({ companies: 200, webhookRetryMilliseconds: 5 });
});
afterEach(async () => {
  await app?.close();
  if (python === undefined || python.exitCode !== null) return;
  python.kill();
  await once(python, 'exit');
});

/** Waits until a value exists. */
async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (python.exitCode !== null) throw new Error(`the receiver ended with ${python.exitCode}`);
    await sleep(5);
  }
}

async function tellSecret(secret: string): Promise<void> {
  const before = said.filter(({ ready }) => ready).length;
  python.stdin!.write(`${secret}\n`);
  await until(() => (said.filter(({ ready }) => ready).length > before ? true : undefined));
}

/** Watches every company; returns the signing secret. */
async function watchAll(): Promise<string> {
  const fields = ['company.phone', 'company.email', 'company.employees_number', 'company.name'];
  for (const id of app.sandbox.world.companyIds(0)) {
    await app.send('POST', `/v2/companies/${id}/watch/start`, { fields });
  }
  return (await app.send<{ secret: string }>('PUT', '/v2/companies/watch/callback', { callback })).body.secret;
}

/** Advances the market and waits until each delivery succeeded or failed. */
async function deliver(): Promise<Delivery[]> {
  await app.send('POST', '/_sandbox/day', { advance: 5 });
  const settled = await until(async () => {
    const { body } = await app.get<Delivery[]>('/_sandbox/deliveries');
    return body.length > 0 && body.every(({ state }) => state !== 'waiting') ? body : undefined;
  });
  // The receiver prints after it has answered.
  const tries = settled.reduce((sum, delivery) => sum + delivery.tries.length, 0);
  await until(() => (verdicts().length >= tries ? true : undefined));
  return settled;
}

const verdicts = (): Said[] => said.filter(({ genuine }) => genuine !== undefined);

describe('deliveries to a receiver in Python', () => {
  it('signs deliveries that a Python receiver verifies', async () => {
    await tellSecret(await watchAll());
    const sent = await deliver();
    expect(sent.map(({ state }) => state)).toEqual(sent.map(() => 'delivered'));
    expect(verdicts()).toHaveLength(sent.length);
    for (const { genuine, type } of verdicts()) expect([genuine, type]).toEqual([true, 'application/json']);
    const received = verdicts().map(({ event }) => WebhookDelivery.parse(event));
    expect(received).toEqual(expect.arrayContaining(sent.map(({ body }) => JSON.parse(body) as unknown)));
    // Includes names outside ASCII, for which hashing text and hashing bytes differ.
    expect(sent.some(({ body }) => /[^\x20-\x7e]/.test(body))).toBe(true);
  });

  it('sends signatures that Python rejects for altered or unsigned bodies', async () => {
    await tellSecret(await watchAll());
    const [{ body, signature }] = (await deliver()) as [Delivery];
    const post = async (text: string, sign: string | null): Promise<number> => {
      const headers = { 'content-type': 'application/json', ...(sign !== null && { [SIGNATURE_HEADER]: sign }) };
      return (await fetch(callback, { method: 'POST', body: text, headers })).status;
    };
    expect(await post(body, signature)).toBe(200);
    expect(await post(body.replace('"field"', '"fie1d"'), signature)).toBe(401);
    expect(await post(`${body} `, signature)).toBe(401);
    expect(await post(JSON.stringify(JSON.parse(body), null, 1), signature)).toBe(401);
    expect(
      await post(
        body,
        signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      ),
    ).toBe(401);
    expect(await post(body, '')).toBe(401);
    expect(await post(body, null)).toBe(401);
  });

  it('retries, then fails deliveries that Python rejects for another secret', async () => {
    await watchAll();
    await tellSecret('0'.repeat(64));
    const sent = await deliver();
    for (const { state, tries } of sent) {
      expect([state, tries.map(({ answer }) => answer)]).toEqual(['failed', [401, 401, 401, 401, 401]]);
    }
    expect(verdicts().some(({ genuine }) => genuine)).toBe(false);
  });
});
