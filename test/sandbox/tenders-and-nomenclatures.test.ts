import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenderDetails, TendersResponse, TenderSummary } from '../../schemas/v1/tender.js';
import { startApp, type Running } from './running.js';

let app: Running;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const tenders = async (body: object): Promise<TendersResponse> =>
  (await app.send<TendersResponse>('POST', '/v1/finder/tenders', body)).body;
const everyTender = async (): Promise<TenderSummary[]> => (await tenders({ per_page: 100 })).data;

describe('POST /v1/finder/tenders', () => {
  it('lists all tenders of the last 18 months, newest first', async () => {
    const { total_results, data } = await tenders({});
    expect(total_results).toBe(80);
    expect(data).toHaveLength(10);
    const all = await everyTender();
    expect(all.map(({ slug }) => slug)).toEqual(app.sandbox.world.tenderSlugs(0));
    const dates = all.map(({ announced_date }) => announced_date!);
    expect(dates).toEqual(dates.toSorted().toReversed());
    expect(dates.at(-1)! > '2025-05-01').toBe(true);
    expect(dates[0]! <= '2026-11-20').toBe(true);
  });

  it('pages through tenders without a cap', async () => {
    const slugs: string[] = [];
    for (let page = 1; page <= 12; page++)
      slugs.push(...(await tenders({ page, per_page: 7 })).data.map(({ slug }) => slug));
    expect(slugs).toEqual(app.sandbox.world.tenderSlugs(0));
  });

  it('sorts tenders by every key, both ways', async () => {
    for (const key of ['title', 'project_type', 'countries', 'announced_date', 'deadline_date', 'status'] as const) {
      const up = (await tenders({ per_page: 100, sort: { [key]: 'asc' } })).data.map((tender) => String(tender[key]));
      expect(up).toEqual(up.toSorted());
      const down = (await tenders({ per_page: 100, sort: { [key]: 'desc' } })).data.map((tender) =>
        String(tender[key]),
      );
      expect(down).toEqual(up.toSorted().toReversed());
    }
  });

  it('filters tenders by every key of must', async () => {
    const all = await everyTender();
    const lists = (await app.get<Record<string, { id: number; name: string }[]>>('/v1/finder/tenders/nomenclatures'))
      .body;
    const nameOf = (list: string, id: number): string => lists[list]!.find((entry) => entry.id === id)!.name;
    const details = new Map<string, TenderDetails>();
    for (const { slug } of all) {
      details.set(slug, (await app.get<TenderDetails>(`/v1/finder/tenders/details?slug=${slug}`)).body);
    }
    const cases: [must: object, holds: (tender: TenderSummary, more: TenderDetails) => boolean][] = [
      [{ status: [2, 5] }, ({ status }) => [2, 5].some((id) => nameOf('statuses', id) === status)],
      [{ types: [3] }, ({ project_type }) => project_type === 'Grant'],
      [{ title: 'supply' }, ({ title }) => /supply/i.test(title!)],
      [
        { countries: lists['countries']!.slice(0, 125).map(({ id }) => id) },
        ({ countries }) =>
          countries!.some((name) => lists['countries']!.findIndex((entry) => entry.name === name) < 125),
      ],
      [
        { industries: [13, 17, 30] },
        (_, more) => more.industries!.some((name) => [13, 17, 30].some((id) => nameOf('industries', id) === name)),
      ],
      [
        { donors: [300, 309] },
        (_, more) => (more.donors as { id: number }[]).some(({ id }) => id === 300 || id === 309),
      ],
      [
        { deadline: { from: '2026-06-01', to: '2026-12-31' } },
        ({ deadline_date }) => deadline_date! >= '2026-06-01' && deadline_date! <= '2026-12-31',
      ],
      [
        { date_created: { from: all[30]!.announced_date, to: all[10]!.announced_date } },
        ({ announced_date }) =>
          announced_date! >= all[30]!.announced_date! && announced_date! <= all[10]!.announced_date!,
      ],
    ];
    for (const [must, holds] of cases) {
      const expected = all.filter((tender) => holds(tender, details.get(tender.slug)!)).map(({ slug }) => slug);
      const found = await tenders({ per_page: 100, filters: { must } });
      expect(found.data.map(({ slug }) => slug)).toEqual(expected);
      expect(found.total_results).toBe(expected.length);
      expect(expected.length).toBeGreaterThan(0);
    }
  });

  it('rejects unknown keys with version 1 errors', async () => {
    expect(await app.send('POST', '/v1/finder/tenders', { filters: { must: { colour: 1 } } })).toMatchObject({
      status: 406,
      body: { error_name: 'InvalidRequest', error_code: 406, message: expect.any(String), data: { param: 'colour' } },
    });
    expect(await app.send('POST', '/v1/finder/tenders', { sort: { colour: 'asc' } })).toMatchObject({
      status: 406,
      body: { data: { param: 'sort' } },
    });
  });
});

describe('GET /v1/finder/tenders/details', () => {
  it('serves tenders with HTML descriptions, donors, attachments and contacts', async () => {
    const all = await Promise.all(
      app.sandbox.world
        .tenderSlugs(0)
        .map(async (slug) => (await app.get<TenderDetails>(`/v1/finder/tenders/details?slug=${slug}`)).body),
    );
    for (const tender of all) {
      expect(tender).toEqual(app.sandbox.world.tender(tender.slug, 0));
      expect(tender.description).toMatch(/^<p><strong>/);
      expect(tender.announced_date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    }
    expect(all.some(({ donors }) => donors!.length > 0)).toBe(true);
    expect(all.some(({ attachments }) => attachments!.length > 1)).toBe(true);
    expect(all.some(({ contacts }) => contacts!.email!.length > 0)).toBe(true);
    expect(all.some(({ logo }) => logo === null)).toBe(true);
  });

  it('answers IdNotFound to an unknown slug', async () => {
    expect(await app.get('/v1/finder/tenders/details?slug=no-such-thing')).toMatchObject({
      status: 404,
      body: { error_name: 'IdNotFound', data: { slug: 'no-such-thing' } },
    });
    expect((await app.get('/v1/finder/tenders/details')).status).toBe(406);
  });
});

describe('lookup lists', () => {
  it('serves the same lookup lists for GET and POST', async () => {
    const lists = (
      await app.get<Record<string, { id: number; name: string; parent_id?: number | null }[]>>(
        '/v1/finder/nomenclatures',
      )
    ).body;
    expect((await app.send('POST', '/v1/finder/nomenclatures')).body).toEqual(lists);
    const sizes = Object.fromEntries(Object.entries(lists).map(([name, entries]) => [name, entries.length]));
    expect(sizes).toMatchObject({
      regions: 7,
      countries: 249,
      company_status: 3,
      activity_type: 3,
      departments: 29,
      seniority_level: 8,
      ownership_types: 12,
      subsidiary_status: 2,
      activities: 34,
    });
    expect(lists['departments']!.filter(({ parent_id }) => parent_id === 833)).toHaveLength(5);
    expect(lists['countries']).toContainEqual({ id: expect.any(Number), name: 'Denmark', short_name: 'DK' });
  });

  it('numbers tender countries separately and lists donors', async () => {
    const lists = (await app.get<Record<string, { id: number; name: string }[]>>('/v1/finder/tenders/nomenclatures'))
      .body;
    expect(Object.keys(lists).toSorted()).toEqual(['countries', 'industries', 'statuses', 'types']);
    expect([lists['statuses']!.length, lists['types']!.length, lists['industries']!.length]).toEqual([5, 3, 32]);
    const companies = (await app.get<{ countries: { id: number; name: string }[] }>('/v1/finder/nomenclatures')).body
      .countries;
    const ids = new Map(companies.map(({ id, name }) => [name, id]));
    expect(lists['countries']!.some(({ id, name }) => ids.get(name) === id)).toBe(false);
    expect((await app.get<{ donors: unknown[] }>('/v1/finder/tenders/donors')).body.donors.length).toBeGreaterThan(5);
  });
});

describe('tenders by day', () => {
  it('adds tenders and changes statuses as days pass, dropping none', async () => {
    const before = new Map((await everyTender()).map((tender) => [tender.slug, tender]));
    await app.send('POST', '/_sandbox/day', { day: 30 });
    const now = (await tenders({ per_page: 100 })).data;
    const added = now.filter(({ slug }) => !before.has(slug));
    expect(added.length).toBeGreaterThan(1);
    for (const { announced_date } of added) expect(announced_date! > '2026-11-20').toBe(true);
    expect(now.length - added.length).toBe(80);
    expect(
      now.filter(({ slug, status }) => before.has(slug) && before.get(slug)!.status !== status).length,
    ).toBeGreaterThan(1);
  });
});
