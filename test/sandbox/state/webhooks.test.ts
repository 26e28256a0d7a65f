import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebhookDelivery, type WatchEventsResponse } from '../../../schemas/v2/watch.js';
import type { Delivery } from '../../../sandbox/state/webhooks.js';
import { startApp, type Running } from '../running.js';

interface Received {
  body: string;
  signature: string | undefined;
}

let app: Running;
let receiver: Server;
let received: Received[];
/** Statuses of the next answers; 200 afterwards. */
let answers: number[];
let callback: string;

beforeEach(async () => {
  [received, answers] = [[], []];
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({
        body: Buffer.concat(chunks).toString(),
        signature: request.headers['x-svc-signature'] as string,
      });
      response.writeHead(answers.shift() ?? 200).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  callback = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
  app = await startApp({ companies: 200, webhookRetryMilliseconds: 5 });
});
afterEach(async () => {
  await app.close();
  receiver.close();
});

async function deliveries(states: string[]): Promise<Delivery[]> {
  for (;;) {
    const { body } = await app.get<Delivery[]>('/_sandbox/deliveries');
    if (body.length > 0 && body.every(({ state }) => states.includes(state))) return body;
    await sleep(5);
  }
}

async function watchAll(fields: string[]): Promise<string> {
  for (const id of app.sandbox.world.companyIds(0))
    await app.send('POST', `/v2/companies/${id}/watch/start`, { fields });
  return (await app.send<{ secret: string }>('PUT', '/v2/companies/watch/callback', { callback })).body.secret;
}

describe('webhook deliveries', () => {
  it('delivers listed events, signed over the raw body', async () => {
    const secret = await watchAll([
      'company.phone',
      'company_email',
      'company.employees_number',
      'company.name',
      'company.financial',
    ]);
    await app.send('POST', '/_sandbox/day', { advance: 5 });
    const sent = await deliveries(['delivered']);
    expect(received).toHaveLength(sent.length);
    for (const { body, signature } of received) {
      expect(signature).toBe(createHmac('sha256', secret).update(body).digest('hex'));
      const event = WebhookDelivery.parse(JSON.parse(body));
      expect(event.status).toBe('UPDATE');
      const { id, date } = event.company_data;
      const day = date.slice(0, 10);
      const listed = await app.get<WatchEventsResponse>(
        `/v2/companies/${id}/watch/events?from_date=${day}&to_date=${day}&fields=${event.field}`,
      );
      expect(listed.body.data.map(({ date_created }) => date_created)).toContain(date);
    }
    const fields = new Set(received.map(({ body }) => (JSON.parse(body) as WebhookDelivery).field));
    expect(fields).toContain('company.email');
  });

  it('delivers the new value of the field', async () => {
    await watchAll(['company.phone']);
    await app.send('POST', '/_sandbox/day', { advance: 9 });
    await deliveries(['delivered']);
    for (const { body } of received) {
      const { company_data, new_value } = WebhookDelivery.parse(JSON.parse(body));
      const day = app.sandbox.world.dayOf(company_data.date.slice(0, 10))!;
      const phones = app.sandbox.world.company(Number(company_data.id), day)?.company_phone ?? [];
      expect(new_value ?? []).toEqual(phones);
    }
  });

  it('retries refused deliveries and gives up after five tries', async () => {
    await watchAll(['company.phone', 'company.email']);
    answers = [500, 302];
    await app.send('POST', '/_sandbox/day', { advance: 5 });
    const sent = await deliveries(['delivered']);
    expect(sent.flatMap(({ tries }) => tries.map(({ answer }) => answer))).toEqual(
      expect.arrayContaining([500, 302, 200]),
    );
    expect(received.length).toBe(sent.length + 2);

    answers = Array.from({ length: 1000 }, () => 410);
    await app.send('POST', '/_sandbox/day', { advance: 3 });
    const all = await deliveries(['delivered', 'failed']);
    const failed = all.filter(({ state }) => state === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    for (const { tries } of failed) expect(tries.map(({ answer }) => answer)).toEqual([410, 410, 410, 410, 410]);
  });

  it('fails deliveries when the receiver is down', async () => {
    await watchAll(['company.phone']);
    receiver.close();
    receiver.closeAllConnections();
    await app.send('POST', '/_sandbox/day', { advance: 9 });
    const [first] = await deliveries(['failed']);
    expect(first!.tries).toHaveLength(5);
    expect(typeof first!.tries[0]!.answer).toBe('string');
  });

  it('delivers nothing without a callback or for earlier days', async () => {
    await app.send('POST', `/v2/companies/${app.sandbox.world.companyIds(0)[0]}/watch/start`, {});
    await app.send('POST', '/_sandbox/day', { advance: 30 });
    await app.send('PUT', '/v2/companies/watch/callback', { callback });
    await app.send('POST', '/_sandbox/day', { day: 0 });
    expect((await app.get('/_sandbox/deliveries')).body).toEqual([]);
  });
});
