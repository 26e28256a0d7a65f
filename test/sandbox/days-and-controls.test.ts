import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type Running } from './running.js';

let app: Running;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

describe('POST /_sandbox/day', () => {
  it('moves the market by days or to a day', async () => {
    expect((await app.send('POST', '/_sandbox/day', { advance: 2 })).body).toMatchObject({
      day: 2,
      date: '2026-11-22',
    });
    expect((await app.send('POST', '/_sandbox/day', { day: 1 })).body).toMatchObject({ day: 1, date: '2026-11-21' });
    expect((await app.send('POST', '/_sandbox/day', { advance: 'much' })).status).toBe(400);
  });

  it('serves other records on another day, and the same after returning', async () => {
    const { world } = app.sandbox;
    const id = world
      .companyIds(0)
      .find(
        (candidate) => JSON.stringify(world.company(candidate, 0)) !== JSON.stringify(world.company(candidate, 9)),
      )!;
    const before = (await app.get(`/v2/companies/${id}`)).body;
    await app.send('POST', '/_sandbox/day', { day: 9 });
    expect((await app.get(`/v2/companies/${id}`)).body).not.toEqual(before);
    await app.send('POST', '/_sandbox/day', { day: 0 });
    expect((await app.get(`/v2/companies/${id}`)).body).toEqual(before);
  });

  it('answers 404 for a company that has left', async () => {
    const { world } = app.sandbox;
    const day = 60;
    const id = world
      .companyIds(day)
      .find((candidate) => world.company(candidate, day) === undefined && world.company(candidate, 0) !== undefined);
    const left = id ?? world.companyIds(0).find((candidate) => world.company(candidate, day) === undefined)!;
    await app.send('POST', '/_sandbox/day', { day });
    for (const path of [`/v2/companies/${left}`, `/v2/financial/${left}`])
      expect((await app.get(path)).status).toBe(404);
  });
});

describe('GET /_sandbox/requests', () => {
  it('counts requests by route and resets on DELETE', async () => {
    await app.get(`/v2/companies/${app.sandbox.world.companyIds(0)[0]}`);
    await app.get('/v2/companies/1');
    await app.send('POST', '/v2/prospecting', {});
    await app.get('/v2/nothing');
    expect((await app.get('/_sandbox/requests')).body).toEqual({
      total: 4,
      mostInFlight: 1,
      routes: { 'GET (unknown)': 1, 'GET /v2/companies/{id}': 2, 'POST /v2/prospecting': 1 },
      statuses: { '200': 2, '404': 2 },
    });
    await app.send('DELETE', '/_sandbox/requests');
    expect((await app.get('/_sandbox/requests')).body).toMatchObject({ total: 0, routes: {} });
  });
});

describe('control routes', () => {
  it('reports the state of the sandbox', async () => {
    expect((await app.get('/_sandbox/state')).body).toMatchObject({
      day: 0,
      date: '2026-11-20',
      companies: 600,
      tenders: 80,
      watched: 0,
    });
  });

  it('serves control routes without a key, but not to web pages', async () => {
    expect((await fetch(`${app.url}/_sandbox/state`)).status).toBe(200);
    const fromPage = await fetch(`${app.url}/_sandbox/day`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
      body: '{"advance":1}',
    });
    expect(fromPage.status).toBe(403);
    expect(app.sandbox.day).toBe(0);
  });
});
