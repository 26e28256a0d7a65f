import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Delivery } from '../../../../sandbox/state/webhooks.js';
import { createApiClient } from '../../../../src/api/index.js';
import { rowOf } from '../../../../src/crawl/records/answer.js';
import { landRows, readManifests, readPartRows } from '../../../../src/landing/index.js';
import { compactLanding } from '../../../../src/maintenance/compact/compact.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { deliveryWithoutPeople } from '../../../../src/privacy/events.js';
import { DeliveryLog } from '../../../../src/serve/webhooks/delivery-log.js';
import { createReceiver, type ReceiverOptions } from '../../../../src/serve/webhooks/receiver.js';
import { cleanEnv, startProcess } from '../../../helpers/processes.js';
import { spoolOf } from '../../../helpers/spool.js';
import { startApp } from '../../../sandbox/running.js';
import { createClock } from '../../../../src/base/time/clock.js';
import { DAY_MS, utcDay } from '../../../../src/base/time/time.js';
import { Data } from '../../../../src/store/data.js';

const SECRET = 'a-secret-of-the-callback';
const clock = { now: () => new Date('2026-11-21T02:00:00.000Z') };

let dataDir: string;
let log: DeliveryLog;
let server: Server | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-webhooks-'));
  log = DeliveryLog.open(new Data(dataDir), clock);
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await log.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function listen(options: Partial<ReceiverOptions> = {}): Promise<string> {
  const keep: ReceiverOptions['keep'] = (body, company) => log.keep(body, company);
  server = createReceiver({ path: '/events', secret: SECRET, keep, ...options }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sign = (body: string, secret = SECRET): string => createHmac('sha256', secret).update(body).digest('hex');

async function deliver(url: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url, { method: 'POST', body, headers: { 'x-svc-signature': sign(body), ...headers } });
  return response.status;
}

function landed(): string[] {
  return readManifests(dataDir, { stream: 'watch_events' })
    .flatMap(readPartRows)
    .map(({ body }) => body);
}

const LANDED = {
  request_key: 'WEBHOOK /delivery',
  entity_id: null,
  row_kind: 'webhook',
  status: 200,
  fetched_at: '2026-11-20T10:11:12.131Z',
};

const delivery = (id: number): string =>
  JSON.stringify({
    company_data: { id, date: '2026-11-20T10:00:00Z' },
    field: 'company.name',
    status: 'UPDATE',
    new_value: 'B',
  });

/** Whether a message mentions an event's own value, and not its twin's. */
function mentions(row: Record<string, string | null>): boolean {
  const [message, value] = [row['message_text'] ?? '', row['new_value'] ?? ''];
  return message.includes(value) && (value.includes(', second') || !message.includes(', second'));
}

describe('the webhook receiver', () => {
  it('lands sandbox deliveries and merges them with polled events', async () => {
    const app = await startApp({ companies: 60 });
    const client = createApiClient({ baseUrl: app.url, apiKey: app.sandbox.options.key });
    try {
      const ids = app.sandbox.world.companyIds(0);
      await Promise.all(ids.map((id) => client.v2.watch.start(id)));
      const base = await listen({ secret: '' });
      const { data } = await client.v2.watch.setCallback(`${base}/events`);
      server?.close();
      const url = await listen({ secret: String(data.secret) });
      await client.v2.watch.setCallback(`${url}/events`);
      app.sandbox.moveTo(40);
      for (;;) {
        const { body } = await app.get<Delivery[]>('/_sandbox/deliveries');
        if (body.length > 0 && body.every(({ state }) => state === 'delivered')) break;
        await sleep(20);
      }
      await log.close();
      const polled = await Promise.all(
        ids
          .slice(0, 30)
          .map((id) => client.v2.watch.events(id, { per_page: 100, from_date: app.sandbox.world.dateOf(1) })),
      );
      const target = {
        data: new Data(dataDir),
        stream: 'watch_events',
        run: 'poll',
        date: '2026-11-21',
        market: null,
        chunk: 'p',
      } as const;
      await landRows(
        target,
        polled.map((page, i) => rowOf(page, String(ids[i]), 'last-1')),
      );
      const warehouse = await openWarehouse(new Data(dataDir));
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse, { personalData: true });
      const events = await warehouse.db.rows(
        'SELECT received_via, count(*) AS n, count(new_value) AS v, count(message_text) AS m FROM core.watch_events GROUP BY ALL ORDER BY ALL',
      );
      const rejects = await warehouse.db.count('SELECT count(*) FROM ops.rejects');
      await warehouse.close();
      expect(rejects).toBe(0);
      const told = new Set(
        landed()
          .filter((body) => body.includes('company_data'))
          .map((body) => {
            const { company_data, field } = JSON.parse(body) as {
              company_data: { id: number; date: string };
              field: string;
            };
            return `${company_data.id}/${field}/${company_data.date}`;
          }),
      );
      const both = Number(events.find(({ received_via }) => received_via === 'both')?.['n']);
      expect(events.map(({ received_via }) => received_via)).toEqual(['both', 'webhook']);
      expect(both).toBe(polled.reduce((sum, page) => sum + page.data.data.length, 0));
      expect(events.reduce((sum, { n }) => sum + Number(n), 0)).toBe(told.size);
      expect(events[0]).toMatchObject({ m: events[0]?.['n'] });
    } finally {
      await client.close();
      await app.close();
    }
  });

  it.each(['different', 'alike'] as const)(
    'keeps every event of the same second, %s in content',
    async (eventTwins) => {
      const app = await startApp({ companies: 60, eventTwins });
      const client = createApiClient({ baseUrl: app.url, apiKey: app.sandbox.options.key });
      try {
        const ids = app.sandbox.world.companyIds(0);
        await Promise.all(ids.map((id) => client.v2.watch.start(id)));
        const { data } = await client.v2.watch.setCallback('http://127.0.0.1:1/');
        const url = await listen({ secret: String(data.secret) });
        await client.v2.watch.setCallback(`${url}/events`);
        app.sandbox.moveTo(40);
        for (;;) {
          const { body } = await app.get<Delivery[]>('/_sandbox/deliveries');
          if (body.length > 0 && body.every(({ state }) => state === 'delivered')) break;
          await sleep(20);
        }
        await log.close();
        const query = { from_date: app.sandbox.world.dateOf(1), per_page: 100 };
        const polled = await Promise.all(ids.map((id) => client.v2.watch.events(id, { ...query, page: 1 })));
        for (const run of ['first', 'second']) {
          const target = {
            data: new Data(dataDir),
            stream: 'watch_events',
            run,
            date: '2026-11-21',
            market: null,
            chunk: 'p',
          } as const;
          await landRows(
            target,
            polled.map((page, i) => rowOf(page, String(ids[i]), 'last-1')),
          );
        }
        const truth = ids.flatMap((id) =>
          (app.sandbox.world.events(id, 1, 40) ?? []).map(({ field, old, new: now }) =>
            [id, field, ...[old, now].map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))].join(
              ' ',
            ),
          ),
        );
        const warehouse = await openWarehouse(new Data(dataDir));
        await loadLanding(warehouse, new Data(dataDir));
        await buildModels(warehouse, { personalData: true });
        const rows = await warehouse.db.rows<Record<string, string | null>>(
          'SELECT company_id, field, old_value, new_value, message_text, received_via FROM core.watch_events',
        );
        const rejects = await warehouse.db.count('SELECT count(*) FROM ops.rejects');
        const changes = await warehouse.db.count("SELECT count(*) FROM marts.changes WHERE kind = 'event'");
        await warehouse.close();
        expect({ rejects, events: rows.length, changes }).toEqual({
          rejects: 0,
          events: truth.length,
          changes: truth.length,
        });
        const delivered = rows.filter(({ received_via }) => received_via === 'both');
        // One of two identical deliveries may be a retry of the other; the list shows that there are two.
        expect(new Set(rows.map(({ received_via }) => received_via))).toEqual(
          new Set(eventTwins === 'alike' ? ['both', 'poll'] : ['both']),
        );
        const texts = delivered.map((row) =>
          [
            row['company_id'],
            row['field'],
            ...[row['old_value'], row['new_value']].map((value) => value ?? 'null'),
          ].join(' '),
        );
        expect(new Set(texts)).toEqual(new Set(truth));
        // Each delivery has the message that mentions its values.
        const twins = delivered.filter((row) => row['new_value']?.startsWith('ref '));
        expect(twins.length).toBeGreaterThan(10);
        expect(twins.filter((row) => !mentions(row))).toEqual([]);
      } finally {
        await client.close();
        await app.close();
      }
    },
  );

  it('rejects deliveries that are unsigned, misaddressed or too large', async () => {
    const url = await listen({ maxBytes: 1000 });
    const body = delivery(1);
    expect(await deliver(`${url}/events`, body, { 'x-svc-signature': sign(body, 'other') })).toBe(401);
    expect(await deliver(`${url}/events`, `${body} `, { 'x-svc-signature': sign(body) })).toBe(401);
    expect(await deliver(`${url}/events`, body, { 'x-svc-signature': '' })).toBe(401);
    expect(await deliver(`${url}/other`, body)).toBe(404);
    expect((await fetch(`${url}/events`)).status).toBe(405);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await deliver(`${url}/events`, body, { 'content-encoding': 'gzip' })).toBe(415);
    expect(await deliver(`${url}/events`, 'x'.repeat(1001))).toBe(413);
    // Without Content-Length, the connection is closed once the body is too large.
    const stream = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(400)) });
    const endless = fetch(`${url}/events`, { method: 'POST', body: stream, duplex: 'half' }).then(
      ({ status }) => status,
      () => 413,
    );
    expect(await endless).toBe(413);
    await log.close();
    expect(landed()).toEqual([]);
  });

  it('keeps signed deliveries that it cannot parse', async () => {
    const url = await listen();
    for (const body of ['not JSON', '{}', '\ufffd"<script>', delivery(7)])
      expect(await deliver(`${url}/events`, body)).toBe(200);
    await log.close();
    expect(landed()).toEqual(['not JSON', '{}', '\ufffd"<script>', delivery(7)]);
    expect(
      readManifests(dataDir)
        .flatMap(readPartRows)
        .map(({ entity_id }) => entity_id),
    ).toEqual([null, null, null, '7']);
  });

  it.each([true, false])(
    'keeps signed deliveries beyond the bounds, and loads their neighbours (contacts: %s)',
    async (contacts) => {
      const fingerprint = (text: string): string => createHmac('sha256', 'k').update(text).digest('hex');
      const url = await listen({
        keep: (body, company) => log.keep(contacts ? body : deliveryWithoutPeople(body, fingerprint), company),
      });
      const good = (id: number): string =>
        `{"field":"company.name","old_value":"a","new_value":"b","company_data":{"id":${id},"date":"2026-11-20T01:00:00Z"}}`;
      const nested = `{"field":"officer.appointment","company_data":{"id":2,"a":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}}}`;
      const wide = `{"company_data":{"id":2},"x":[${'1,'.repeat(300_000)}1]}`;
      for (const body of [good(1), nested, wide, good(3)]) expect(await deliver(`${url}/events`, body)).toBe(200);
      await log.close();
      const warehouse = await openWarehouse(new Data(dataDir));
      try {
        expect(await loadLanding(warehouse, new Data(dataDir))).toMatchObject({ rows: 4, rejects: 2 });
        const rejects = await warehouse.db.rows<{ reason: string; raw: string }>('FROM ledger.rejects ORDER BY reason');
        expect(rejects.map(({ reason }) => reason)).toEqual(
          contacts ? ['too_deep', 'too_many_items'] : ['not_json', 'not_json'],
        );
        if (!contacts) expect(rejects.map(({ raw }) => raw).join()).toContain('nests deeper than 100 levels');
        expect(
          await warehouse.db.rows('SELECT CAST(company_id AS INTEGER) AS id FROM ledger.received_events ORDER BY id'),
        ).toEqual([{ id: 1 }, { id: 3 }]);
      } finally {
        await warehouse.close();
      }
    },
  );

  it('closes slow connections', async () => {
    const url = new URL(await listen({ headersMs: 200, requestMs: 300 }));
    const socket = connect(Number(url.port), url.hostname);
    socket.write(`POST /events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nx`);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString()).not.toMatch(/^HTTP\/1.1 2/);
    expect(await deliver(`${url.origin}/events`, delivery(1))).toBe(200);
  });

  it('answers 503 when it cannot store, and accepts the retry', async () => {
    const faults: unknown[] = [];
    const url = await listen({ onFault: (error) => faults.push(error) });
    const folder = path.join(dataDir, 'landing', 'watch_events', 'date=2026-11-21', 'run=webhook');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, '_spool'), 'in the way');
    expect(await deliver(`${url}/events`, delivery(1))).toBe(503);
    expect(faults).toHaveLength(1);
    rmSync(path.join(folder, '_spool'));
    expect(await deliver(`${url}/events`, delivery(1))).toBe(200);
    await log.close();
    expect(landed()).toEqual([delivery(1)]);
  });
});

describe('the delivery log', () => {
  it("lands another log's deliveries only after that log ended", async () => {
    const today = createClock();
    const other = DeliveryLog.open(new Data(dataDir), today);
    const bodies = [...Array(500).keys()].map(delivery);
    await Promise.all(bodies.map((body, i) => other.keep(body, String(i))));
    // `other` is still open, and has stored all deliveries.
    const rows: number[] = [];
    const quick = { onCommit: (count: number) => rows.push(count), abandonedMs: 2_000 };
    const next = DeliveryLog.open(new Data(dataDir), today, { ...quick, place: 'another machine' });
    await sleep(200);
    expect(landed()).toEqual([]);
    await other.close();
    await next.close();
    expect(landed()).toEqual(bodies);
    expect(rows).toEqual([]);
  });

  it('lands each delivery once although another receiver lands its deliveries while it lives', async () => {
    const quick = { abandonedMs: 40, place: 'another machine' };
    const [living, ...others] = [{}, quick, quick].map((each) =>
      DeliveryLog.open(new Data(dataDir), createClock(), each),
    );
    for (let id = 0; id < 12; id++) {
      await living!.keep(delivery(id), String(id));
      await sleep(20 * id);
    }
    await living!.close();
    for (const other of others) await other.close();
    expect(landed().toSorted()).toEqual([...Array(12).keys()].map(delivery).toSorted());
    expect(readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => /\.spool/.test(name))).toEqual(
      [],
    );
  });

  it('keeps deliveries of the same company and millisecond, although another receiver lands them one by one', async () => {
    const now = new Date();
    const owner = DeliveryLog.open(new Data(dataDir), { now: () => now });
    const quick = { abandonedMs: 40, place: 'another machine' };
    const other = DeliveryLog.open(new Data(dataDir), createClock(), quick);
    onTestFinished(() => Promise.all([owner.close(), other.close()]).then(() => undefined));
    for (const id of [1, 2]) {
      await owner.keep(delivery(id), '1');
      await vi.waitFor(() => expect(landed()).toHaveLength(id), 5_000);
    }
    expect(landed()).toEqual([delivery(1), delivery(2)]);
  });

  it('names deliveries of an older version, and lands the others, also if the landing zone is a link', async () => {
    const elsewhere = path.join(dataDir, '..', 'elsewhere');
    mkdirSync(elsewhere);
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    symlinkSync(elsewhere, path.join(dataDir, 'landing'));
    const killed = DeliveryLog.open(new Data(dataDir), createClock());
    await killed.keep(delivery(1), '1');
    const spool = path.join(elsewhere, 'watch_events', `date=${utcDay(Date.now())}`, 'run=webhook', '_spool');
    writeFileSync(path.join(spool, 'part-r0123456789abcdef-000000-20261120101112131.ndjson'), '{}');
    const faults: unknown[] = [];
    const options = { abandonedMs: 40, place: 'another machine', onFault: (fault: unknown) => faults.push(fault) };
    const other = DeliveryLog.open(new Data(dataDir), createClock(), options);
    onTestFinished(() => Promise.all([killed.close(), other.close()]).then(() => undefined));
    await vi.waitFor(() => expect(landed()).toEqual([delivery(1)]), 5_000);
    expect(faults[0]).toMatchObject({
      type: 'LandingCorrupt',
      message: expect.stringMatching(/\.ndjson holds answers/),
    });
  });

  it('limits the size of spools', async () => {
    const limits = { rows: 1_000, bytes: 20_000 };
    const small = DeliveryLog.open(new Data(dataDir), clock, { limits });
    const bodies = [...Array(40).keys()].map((id) => delivery(id) + ' '.repeat(5_000));
    await Promise.all(bodies.map((body) => small.keep(body, null)));
    await small.close();
    expect(landed().map((body) => body.trim())).toEqual(bodies.map((body) => body.trim()));
    expect(Math.max(...readManifests(dataDir).map(({ rows }) => rows))).toBeLessThanOrEqual(4);
  });

  it('lands a spool that is larger than a part in several parts', async () => {
    const spool = path.join(dataDir, 'landing', 'watch_events', `date=${utcDay(Date.now())}`, 'run=webhook', '_spool');
    mkdirSync(spool, { recursive: true });
    const bodies = [...Array(25).keys()].map(delivery);
    const file = path.join(spool, 'part-r0123456789abcdef-000000-20261120101112131.spool');
    writeFileSync(file, spoolOf(bodies.map((body) => ({ ...LANDED, body }))));
    const rows: number[] = [];
    const next = DeliveryLog.open(new Data(dataDir), clock, {
      limits: { rows: 10, bytes: 1e6 },
      abandonedMs: 100,
      onCommit: (count) => rows.push(count),
    });
    while (rows.length === 0) await sleep(10);
    await next.close();
    expect(rows).toEqual([25]);
    expect(readManifests(dataDir).map((part) => part.rows)).toEqual([10, 10, 5]);
    expect(landed()).toEqual(bodies);
  });

  it('lands at once what a receiver of an earlier day left', async () => {
    const left = DeliveryLog.open(new Data(dataDir), { now: () => new Date(Date.now() - 3 * DAY_MS) });
    await left.keep(delivery(1), '1');
    const rows: number[] = [];
    const next = DeliveryLog.open(new Data(dataDir), createClock(), { onCommit: (count) => rows.push(count) });
    while (rows.length === 0) await sleep(10);
    await Promise.all([left.close(), next.close()]);
    expect(landed()).toEqual([delivery(1)]);
  });

  it('puts many deliveries into few parts', async () => {
    const bodies = [...Array(2500).keys()].map(delivery);
    await Promise.all(bodies.map((body, i) => log.keep(body, String(i))));
    await log.close();
    expect(landed().toSorted()).toEqual(bodies.toSorted());
    expect(readManifests(dataDir).length).toBeLessThan(4);
  });

  it('writes parts that are compacted once their day is over', async () => {
    const old = { now: () => new Date('2026-11-01T02:00:00.000Z') };
    for (const id of [1, 2, 3]) {
      const day = DeliveryLog.open(new Data(dataDir), old);
      await day.keep(delivery(id), String(id));
      await day.close();
    }
    await log.keep(delivery(4), '4');
    await log.close();
    const warehouse = await openWarehouse(new Data(dataDir));
    await loadLanding(warehouse, new Data(dataDir));
    const compacted = await compactLanding(warehouse, new Data(dataDir), { minParts: 2 });
    await warehouse.close();
    expect(compacted).toMatchObject({ folders: 1, partsBefore: 3, partsAfter: 1, dropped: 0 });
    expect(landed().toSorted()).toEqual([1, 2, 3, 4].map(delivery));
  });

  it('commits deliveries after an interval', async () => {
    const rows: number[] = [];
    const quick = DeliveryLog.open(new Data(dataDir), clock, {
      onCommit: (count) => rows.push(count),
      commitEveryMs: 20,
    });
    await quick.keep(delivery(1), '1');
    while (rows.length === 0) await sleep(10);
    expect(landed()).toEqual([delivery(1)]);
    await quick.close();
  });
});

describe('tidemark watch listen', () => {
  it('keeps every delivery it answered 200, when killed or stopped', async () => {
    const port = await freePort();
    writeFileSync(
      path.join(dataDir, 'tidemark.yaml'),
      `api: { baseUrl: 'http://127.0.0.1:1' }\ndata: .\nmarkets: [{ name: m }]\n`,
    );
    const start = async () =>
      startProcess(['--import', 'tsx', 'src/cli/cli.ts', 'watch', 'listen', '--port', String(port)], {
        env: cleanEnv({ TIDEMARK_CONFIG: path.join(dataDir, 'tidemark.yaml'), TIDEMARK_WEBHOOK_SECRET: SECRET }),
        ready: /Listening on/,
      });
    const said: string[] = [];
    const send = async (from: number): Promise<void> => {
      await Promise.all(
        [...Array(60).keys()].map(async (i) => {
          const status = await deliver(`http://127.0.0.1:${port}/events`, delivery(from + i)).catch(() => 0);
          if (status === 200) said.push(delivery(from + i));
        }),
      );
    };
    const killed = await start();
    await send(0);
    for (let i = 0; i < 2; i++)
      expect(await deliver(`http://127.0.0.1:${port}/hook?key=hidden`, delivery(1))).toBe(404);
    expect(killed.output().match(/Refused a request for \/hook, because deliveries come to \/events\./g)).toHaveLength(
      1,
    );
    const cut = send(100);
    await killed.stop('SIGKILL');
    await cut;
    const ended = await start();
    const last = send(200);
    await last;
    await ended.stop('SIGTERM');
    expect(ended.child.exitCode).toBe(0);
    expect(said.length).toBeGreaterThanOrEqual(120);
    expect(said.filter((body) => !landed().includes(body))).toEqual([]);
    expect(ended.output()).not.toContain(SECRET);
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}
