import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProcess, type RunningProcess } from '../helpers/processes.js';
import { expectSameRows } from '../helpers/expect-truth.js';
import { startStubProject, type StubProject } from '../helpers/stub-project.js';
import { deliver, writeDelivery, type DeliveryForm } from '../stub/events.js';
import type { StubCompany } from '../stub/companies.js';
import { eventsTruth, type Truth } from '../stub/truth.js';
import type { StubEvent } from '../stub/state.js';

const UNREADABLE = [
  '',
  '{"company_data": {"id": 5',
  '[]',
  '"text"',
  '{}',
  '{"field": "company.status"}',
  '{"field": 7, "company_data": null}',
];

describe('events of watched companies, delivered and polled', () => {
  let stub: StubProject;
  let receiver: RunningProcess;
  const delivered = new Set<StubEvent>();
  const refused: string[] = [];
  let truth: Record<string, Truth>;

  beforeAll(async () => {
    const port = await freePort();
    stub = await startStubProject(
      { companies: 30, ids: 'large', page: { standard: 5, most: 10, above: 'clamped' } },
      {
        personalData: 'contacts',
        markets: [{ name: 'stub', streams: ['companies'] }],
        watch: {
          callback: `http://127.0.0.1:${port}/events`,
          fields: ['company.status', 'officer.appointment'],
          select: `SELECT company_id FROM core.companies WHERE has_details ORDER BY company_id LIMIT 12`,
        },
      },
    );
    await stub.snapshot();
    await must(stub.tidemark('watch', 'apply'));
    receiver = await startProcess(['bin/tidemark.mjs', 'watch', 'listen', '--port', String(port)], {
      env: stub.project.env,
      ready: /Listening on/,
    });
    await deliverAll();
    await receiver.stop();
    await must(stub.tidemark('watch', 'sync'));
    truth = eventsTruth(stub.api.state, delivered);
  });
  afterAll(async () => {
    await receiver?.stop();
    await stub?.close();
  });

  const must = async (running: ReturnType<StubProject['tidemark']>): Promise<void> => {
    const { code, stderr } = await running;
    expect({ code, stderr }).toMatchObject({ code: 0 });
  };

  /** Delivers an event and records it if answered 200. */
  const send = async (event: StubEvent, form: DeliveryForm = {}): Promise<void> => {
    const { state } = stub.api;
    const status = await deliver(state, writeDelivery(state, event, form), form);
    if (status === 200) delivered.add(event);
  };

  const deliverAll = async (): Promise<void> => {
    const { state } = stub.api;
    const watched = [...state.watches.keys()].map((id) => state.byId.get(id) as StubCompany);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const make = (i: number, field: string, minute: number, who: string, listed = true): StubEvent => {
      const event: StubEvent = {
        companyId: watched[i % watched.length]!.id,
        field,
        at: `${yesterday}T00:${String(minute).padStart(2, '0')}:07Z`,
        old: field === 'company.status' ? 'Active' : null,
        new: who,
        message: `<em>${who}</em> at company ${i}`,
        listed,
      };
      state.events.push(event);
      return event;
    };
    // Delivered and listed; half of them under the older field name.
    for (let i = 0; i < 12; i++) await send(make(i, 'company.status', i % 60, 'Inactive'), { upperCase: i % 2 === 1 });
    // Only listed, on more than one page for one company.
    for (let i = 0; i < 23; i++) make(3, 'company.status', 20 + i, `Status ${i}`);
    // Two officers in the same second, each delivered and listed.
    for (let i = 0; i < 4; i++) {
      await send(make(i, 'officer.appointment', 5, `Ada ${i}`), { reversed: true });
      await send(make(i, 'officer.appointment', 5, `Bob ${i}`));
    }
    // Two officers in the same second, delivered but not listed yet.
    await send(make(5, 'officer.appointment', 6, 'Cid', false));
    await send(make(5, 'officer.appointment', 6, 'Dora', false));
    // Delivered three times, once with other white space and key order.
    const again = make(7, 'officer.appointment', 7, 'Eve');
    for (const form of [{}, {}, { pretty: true, reversed: true }]) await send(again, form);
    const alone = make(8, 'officer.appointment', 8, 'Fay', false);
    for (const form of [{}, { reversed: true }]) await send(alone, form);
    for (const body of UNREADABLE) if ((await deliver(state, body)) === 200) refused.push(body);
    // Signed with another secret, so not stored.
    const forged = writeDelivery(state, make(9, 'officer.appointment', 9, 'Mallory', false));
    expect(await deliver({ ...state, secret: 'another' }, forged)).toBe(401);
  };

  it('answers 200 to every signed delivery, readable or not', () => {
    expect(delivered.size).toBe(12 + 8 + 2 + 1 + 1);
    expect(refused).toEqual(UNREADABLE);
  });

  it('stores every event once, delivered or polled', async () => {
    await expectSameRows(stub, truth['ways']!);
  });

  it('stores the values of every delivered event', async () => {
    await expectSameRows(stub, truth['values']!);
  });

  it('stores the message of every listed event', async () => {
    await expectSameRows(stub, truth['messages']!);
  });

  it('files each unreadable delivery as one reject', async () => {
    const rejects = await stub.project.query(`SELECT raw FROM ops.rejects WHERE stream = 'watch_events'`);
    expect(rejects).toHaveLength(UNREADABLE.length);
  });

  it('adds nothing in a second watch sync', async () => {
    await must(stub.tidemark('watch', 'sync'));
    await expectSameRows(stub, truth['ways']!);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
