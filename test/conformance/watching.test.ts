import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sandboxOptions } from '../../sandbox/switches.js';
import { verifyWebhook } from '../../src/api/index.js';
import { reply, startStubApi, type StubApi } from '../src/api/helpers.js';
import { waitUntil } from '../helpers/sandbox.js';
import { expectRefusal } from './error-shapes.js';
import { Observed } from './observed.js';
import { limits, RECORDS, routeNamed, watchFields, watchStates, webhook } from './reference.js';
import { startConformance, type Answer, type Conformance, type Given } from './sandbox-calls.js';

let api: Conformance;
let receiver: StubApi;
beforeAll(async () => {
  api = await startConformance();
  receiver = await startStubApi((_request, response) => reply(response, 200, {}));
});
afterAll(async () => {
  await receiver.close();
  await api.app.close();
});

const START = 'POST /v2/companies/{id}/watch/start';
const STOP = 'DELETE /v2/companies/{id}/watch/stop';
const fieldsOf = async (): Promise<Answer> => api.ask('GET /v2/companies/{id}/watch/fields', { id: api.id });

/** Brings the company into a state: watched for one field, or not watched. */
async function enter(state: string): Promise<void> {
  await api.ask(START, { id: api.id, fields: ['company.name'] });
  if (state === 'not watched') await api.ask(STOP, { id: api.id });
}

describe('states of a watch', () => {
  const FIELDS: Record<string, string[]> = {
    [START]: ['company.vat'],
    'PUT /v2/companies/{id}/watch/fields/add': ['company.vat'],
    'PUT /v2/companies/{id}/watch/fields/remove': ['company.name'],
  };
  const RESULT: Record<string, string[]> = {
    [START]: ['company.vat'],
    'PUT /v2/companies/{id}/watch/fields/add': ['company.name', 'company.vat'],
    'PUT /v2/companies/{id}/watch/fields/remove': [],
  };
  it.each(watchStates)('moves a watch from $state to $next on $trigger', async ({ state, trigger, next, answer }) => {
    await enter(state);
    expect((await fieldsOf()).status).toBe(state === 'watched' ? 200 : 404);
    const given: Given = { id: api.id, ...(trigger in FIELDS && { fields: FIELDS[trigger] }) };
    const said = await api.ask(trigger, given);
    if (typeof answer === 'number') expect(said.status).toBe(answer);
    else expect(said).toEqual({ status: 200, body: RESULT[trigger] });
    const now = await fieldsOf();
    expect(now).toMatchObject(next === 'watched' ? { status: 200, body: RESULT[trigger] } : { status: 404 });
  });
});

describe('watch fields', () => {
  it.each([...watchFields.current, ...watchFields.earlier, ...watchFields.inSamples])(
    'watches, lists, removes and adds the field %s',
    async (field) => {
      await enter('not watched');
      const given = { id: api.id, fields: [field] };
      expect((await api.ask(START, given)).status).toBe(201);
      expect(await fieldsOf()).toEqual({ status: 200, body: [field] });
      const listed = await api.ask('GET /v2/companies/watch', { fields: [field], per_page: 100 });
      const ids = (listed.body as { data: { id: string }[] }).data.map(({ id }) => id);
      expect(ids).toContain(String(api.id));
      const events = await api.ask('GET /v2/companies/{id}/watch/events', { ...given, from_date: '2005-01-01' });
      expect(events.status).toBe(200);
      for (const change of ['remove', 'add'] as const) {
        const changed = await api.ask(`PUT /v2/companies/{id}/watch/fields/${change}`, given);
        expect(changed).toEqual({ status: 200, body: change === 'add' ? [field] : [] });
      }
    },
  );

  it.each([START, 'PUT /v2/companies/{id}/watch/fields/add', 'GET /v2/companies/watch'])(
    'rejects an unknown watch field on %s',
    async (route) => {
      await enter('watched');
      expectRefusal(await api.ask(route, { id: api.id, fields: ['company.colour'] }), routeNamed(route), 'fields');
    },
  );
});

describe('the webhook callback', () => {
  const set = async (callback: string): Promise<Given> =>
    (await api.ask('PUT /v2/companies/watch/callback', { callback })).body as Given;

  it('replaces the callback and keeps its secret', async () => {
    const first = await set('http://127.0.0.1:9/a');
    expect(first['secret']).toEqual(expect.stringMatching(/./));
    expect(await set('http://127.0.0.1:9/b')).toEqual({ callback: 'http://127.0.0.1:9/b', secret: first['secret'] });
  });

  it('delivers events with the documented headers and fields', async () => {
    const { secret } = await set(receiver.url);
    for (const id of api.app.sandbox.world.companyIds(0).slice(0, 100)) await api.ask(START, { id });
    await api.app.send('POST', '/_sandbox/day', { day: 40 });
    await waitUntil('ten deliveries', async () => receiver.seen.length >= 10);
    const seen = new Observed();
    for (const { method, headers, body } of receiver.seen) {
      expect(method).toBe('POST');
      for (const header of webhook.headers.map((line) => line.split(': ') as [string, string?])) {
        expect(headers[header[0].toLowerCase()]).toEqual(
          header[1] === undefined ? expect.any(String) : expect.stringContaining(header[1]),
        );
      }
      const signature = headers[webhook.signature.toLowerCase()] as string;
      expect(verifyWebhook(Buffer.from(body), signature, secret as string)).toBe(true);
      const delivery = JSON.parse(body) as Given;
      expect(delivery['status']).toBe(webhook.status);
      seen.take(webhook.body, delivery, 'delivery');
    }
    const fields = ['Webhook delivery', 'Webhook delivery company'].flatMap((record) =>
      Object.keys(RECORDS[record]!.fields).map((field) => `${record}.${field}`),
    );
    expect([...seen.filled].toSorted()).toEqual(fields.toSorted());
    expect([[...seen.misfits], [...seen.unnamed], [...seen.absent]]).toEqual([[], [], []]);
  });

  it('retries deliveries at the stated interval', () => {
    const { everySeconds } = limits.find(({ limit }) => limit === 'webhook retry check')!;
    expect(sandboxOptions().webhookRetryMilliseconds).toBe(everySeconds! * 1000);
  });
});
