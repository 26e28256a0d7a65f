import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WATCH_FIELDS } from '../../schemas/v2/watch-fields.js';
import type { WatchEventsResponse, WatchListResponse } from '../../schemas/v2/watch.js';
import { startApp, type Running } from './running.js';

let app: Running;
let ids: number[];
beforeAll(async () => {
  app = await startApp();
  ids = app.sandbox.world.companyIds(0);
});
afterAll(() => app.close());

describe('watching', () => {
  it('starts a watch with the given fields and answers 201', async () => {
    const { status } = await app.send('POST', `/v2/companies/${ids[0]}/watch/start`, {
      fields: ['company.status', 'company_phone'],
    });
    expect(status).toBe(201);
    expect((await app.get(`/v2/companies/${ids[0]}/watch/fields`)).body).toEqual(['company.status', 'company_phone']);
  });

  it('watches all fields when none are given, with or without a body', async () => {
    await app.send('POST', `/v2/companies/${ids[1]}/watch/start`);
    await app.send('POST', `/v2/companies/${ids[2]}/watch/start`, {});
    expect((await app.get(`/v2/companies/${ids[1]}/watch/fields`)).body).toEqual(WATCH_FIELDS);
    expect((await app.get(`/v2/companies/${ids[2]}/watch/fields`)).body).toEqual(WATCH_FIELDS);
  });

  it('adds and removes watch fields under both documented paths', async () => {
    const id = ids[0];
    const add = await app.send('PUT', `/v2/companies/${id}/watch/fields/add`, {
      fields: ['company.name', 'company.status'],
    });
    expect(add.body).toEqual(['company.status', 'company_phone', 'company.name']);
    const remove = await app.send('PUT', `/v2/companies/${id}/watch/fields/remove`, { fields: ['company_phone'] });
    expect(remove.body).toEqual(['company.status', 'company.name']);
    expect(
      (await app.send('PUT', `/v2/companies/${id}/watch/start/add`, { fields: ['company.vat'] })).body,
    ).toHaveLength(3);
    expect(
      (await app.send('PUT', `/v2/companies/${id}/watch/start/remove`, { fields: ['company.vat'] })).body,
    ).toHaveLength(2);
    expect((await app.get(`/v2/companies/${id}/watch/stop`)).body).toEqual(['company.status', 'company.name']);
  });

  it('rejects unknown fields, unknown companies and unwatched companies', async () => {
    const wrong = await app.send('POST', `/v2/companies/${ids[3]}/watch/start`, { fields: ['company.colour'] });
    expect(wrong).toMatchObject({ status: 400, body: { fields: [expect.any(String)] } });
    expect((await app.send('POST', '/v2/companies/17/watch/start', {})).status).toBe(404);
    expect((await app.get(`/v2/companies/${ids[9]}/watch/fields`)).status).toBe(404);
    expect((await app.send('DELETE', `/v2/companies/${ids[9]}/watch/stop`)).status).toBe(404);
  });

  it('lists watched companies with paging and filters', async () => {
    const all = await app.get<WatchListResponse>('/v2/companies/watch?per_page=2');
    expect(all.body).toMatchObject({ total_results: 3, pages: 2 });
    expect(all.body.data[0]).toEqual({
      id: String(ids[0]),
      name: app.sandbox.world.company(ids[0]!, 0)!.name,
      country_code: app.sandbox.world.company(ids[0]!, 0)!.country_code,
      registration_number: app.sandbox.world.company(ids[0]!, 0)!.registration_number,
      date: '2026-11-20',
      fields: ['company.status', 'company.name'],
    });
    expect((await app.get<WatchListResponse>('/v2/companies/watch?per_page=2&page=2')).body.data).toHaveLength(1);
    expect((await app.get<WatchListResponse>('/v2/companies/watch?fields=company.vat')).body.total_results).toBe(2);
    expect((await app.get<WatchListResponse>('/v2/companies/watch?date=2026-11-19')).body.total_results).toBe(0);
    expect((await app.get('/v2/companies/watch?date=yesterday')).status).toBe(400);
  });

  it('stops a watch', async () => {
    expect((await app.send('DELETE', `/v2/companies/${ids[2]}/watch/stop`)).status).toBe(200);
    expect((await app.get(`/v2/companies/${ids[2]}/watch/fields`)).status).toBe(404);
  });

  it('keeps the secret when the callback changes', async () => {
    expect((await app.get('/v2/companies/watch/callback')).body).toEqual({ callback: null, secret: null });
    const first = await app.send<{ secret: string }>('PUT', '/v2/companies/watch/callback', {
      callback: 'https://hooks.example/a',
    });
    expect(first.body.secret).toMatch(/^[0-9a-f]{64}$/);
    const second = await app.send('PUT', '/v2/companies/watch/callback', { callback: 'https://hooks.example/b' });
    expect(second.body).toEqual({ callback: 'https://hooks.example/b', secret: first.body.secret });
    expect((await app.get('/v2/companies/watch/callback')).body).toEqual(second.body);
    expect((await app.send('PUT', '/v2/companies/watch/callback', { callback: 'ftp://x' })).status).toBe(400);
    expect((await app.send('PUT', '/v2/companies/watch/callback', {})).body).toEqual({
      callback: [expect.any(String)],
    });
  });
});

describe('GET /v2/companies/{id}/watch/events', () => {
  const events = async (id: number, query = ''): Promise<WatchEventsResponse> =>
    (await app.get<WatchEventsResponse>(`/v2/companies/${id}/watch/events${query}`)).body;

  it('lists past events within dates, newest first', async () => {
    const id = ids[1]!;
    const all = await events(id, '?from_date=2020-01-01&per_page=100');
    expect(all.total_results).toBeGreaterThan(10);
    const times = all.data.map(({ date_created }) => date_created);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(all.data.map((event) => `${event.event_type} ${event.date_created}`)).size).toBe(all.data.length);
    const day = times[3]!.slice(0, 10);
    const ofDay = await events(id, `?from_date=${day}&to_date=${day}`);
    expect(ofDay.data.length).toBeGreaterThan(0);
    for (const event of ofDay.data) expect(event.date_created).toMatch(new RegExp(`^${day}T\\d\\d:\\d\\d:\\d\\dZ$`));
  });

  it('narrows events by field under either name, and pages', async () => {
    const id = ids[1]!;
    const phones = await events(id, '?from_date=2016-01-01&fields=company.phone');
    expect(phones.total_results).toBeGreaterThan(0);
    for (const { event_type } of phones.data) expect(event_type).toBe('company.phone');
    expect(await events(id, '?from_date=2016-01-01&fields[]=company_phone')).toEqual(phones);
    const page = await events(id, '?from_date=2016-01-01&per_page=2&page=2');
    expect(page.data).toEqual((await events(id, '?from_date=2016-01-01&per_page=4')).data.slice(2));
    expect(page.pages).toBe(Math.ceil(page.total_results / 2));
  });

  it('shows only watched fields and no events of unwatched companies', async () => {
    const own = await events(ids[0]!, '?from_date=2016-01-01&per_page=100');
    for (const { event_type } of own.data) expect(['company.status', 'company.name']).toContain(event_type);
    expect((await app.get(`/v2/companies/${ids[50]}/watch/events`)).status).toBe(404);
  });

  it('lists events of later days once those days have come', async () => {
    const changed = ids.find((id) =>
      app.sandbox.world.events(id, 1, 1)!.some(({ field }) => field === 'company.phone'),
    )!;
    await app.send('POST', `/v2/companies/${changed}/watch/start`, {});
    expect((await events(changed, '?from_date=2026-11-21')).data).toEqual([]);
    await app.send('POST', '/_sandbox/day', { advance: 1 });
    const [event] = (await events(changed, '?from_date=2026-11-21&fields=company.phone')).data;
    expect(event).toMatchObject({ event_type: 'company.phone', date_created: expect.stringMatching(/^2026-11-21T/) });
    const phones = app.sandbox.world.company(changed, 1)!.company_phone;
    for (const phone of phones ?? []) expect(event!.message).toContain(phone);
  });
});
