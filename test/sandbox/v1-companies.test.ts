import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { V1Company, type V1CompaniesResponse, type V1CompanyFilters } from '../../schemas/v1/company.js';
import { V1FinancialReport } from '../../schemas/v1/financial-report.js';
import { COUNTRIES } from '../../sandbox/world/data/country-ids.js';
import { ACTIVITIES } from '../../sandbox/world/data/nomenclatures.js';
import type { Profile } from '../../sandbox/world/index.js';
import type { Company } from '../../schemas/v2/company.js';
import { startApp, type Answer, type Running } from './running.js';

let app: Running;
let market: { id: number; profile: Profile; record: Company }[];
beforeAll(async () => {
  app = await startApp({ maxPerPage: 1000 });
  const { world } = app.sandbox;
  market = world.companyIds(0).map((id) => ({ id, profile: world.profile(id, 0)!, record: world.company(id, 0)! }));
});
afterAll(() => app.close());

const search = (body: object): Promise<Answer<V1CompaniesResponse>> => app.send('POST', '/v1/finder/companies', body);
const within = (value: number | null, { from = -Infinity, to = Infinity }: { from?: number; to?: number }): boolean =>
  value !== null && value >= from && value <= to;

describe('POST /v1/finder/companies', () => {
  it('pages without a cap and requires all three parameters', async () => {
    const ids: unknown[] = [];
    for (let page = 1; page <= 20; page++)
      ids.push(...(await search({ page, per_page: 30, filters: {} })).body.data.map(({ id }) => id));
    expect(ids).toEqual(market.map(({ id }) => id));
    expect((await search({ page: 1, per_page: 30, filters: {} })).body.pages).toBe(20);
    for (const body of [
      { page: 1, per_page: 5 },
      { page: 1, filters: {} },
      { per_page: 5, filters: {} },
    ]) {
      expect(await search(body)).toMatchObject({ status: 406, body: { error_name: 'InvalidRequest' } });
    }
  });

  const some = (read: (entry: (typeof market)[number]) => string | null | undefined): string =>
    market.map(read).find((value) => value)!;
  const cases: [
    key: keyof V1CompanyFilters,
    value: () => unknown,
    holds: (entry: (typeof market)[number], value: never) => boolean,
  ][] = [
    ['name', () => ['logistics', 'SHIPPING'], ({ record }) => /logistics|shipping/i.test(record.name!)],
    [
      'registration_number',
      () => [market[3]!.record.registration_number, '00000000'],
      ({ id }) => id === market[3]!.id,
    ],
    [
      'vat_number',
      () => [some(({ record }) => record.vat_number)],
      ({ record }, [vat]: string[]) => record.vat_number === vat,
    ],
    ['status', () => [200, 201], ({ profile }) => profile.status !== 199],
    ['size', () => ({ from: 5, to: 40 }), ({ profile }, range: object) => within(profile.employees, range)],
    ['trading_activity_import', () => true, ({ profile }) => profile.imports],
    ['trading_activity_export', () => false, ({ profile }) => !profile.exporter],
    ['activity_type', () => [1, 2], ({ profile }) => profile.activityTypes.some((id) => id < 3)],
    ['industry', () => [138, 1021], ({ profile }) => profile.industries.some((id) => id === 138 || id === 1021)],
    [
      'sic_code',
      () => [Number(some(({ profile }) => profile.nationalCode?.code.replace(/\D/g, '')))],
      ({ record }, codes: number[]) => (record.sic ?? []).some(({ id }) => codes.includes(Number(id))),
    ],
    ['regions', () => [1, 7], ({ profile }) => ['SG', 'JP', 'KR', 'AU', 'NZ', 'US', 'CA'].includes(profile.country)],
    [
      'country',
      () => COUNTRIES.filter(({ short_name }) => short_name === 'DE').map(({ id }) => id),
      ({ profile }) => profile.country === 'DE',
    ],
    [
      'city_or_state',
      () => ['london', 'Bayern'],
      ({ profile }) => profile.city === 'London' || profile.region === 'Bayern',
    ],
    ['zip', () => [some(({ profile }) => profile.zip)], ({ profile }, zips: string[]) => zips.includes(profile.zip!)],
    ['turnover', () => ({ from: 1_000_000 }), ({ profile }, range: object) => within(profile.figures.turnover, range)],
    ['net_profit', () => ({ to: 0 }), ({ profile }, range: object) => within(profile.figures.profit, range)],
    [
      'total_liabilities',
      () => ({ from: 1000, to: 1_000_000 }),
      ({ profile }, range: object) => within(profile.figures.liabilities, range),
    ],
    [
      'director_remuneration',
      () => ({ from: 1000 }),
      ({ profile }, range: object) => within(profile.figures.directors, range),
    ],
    [
      'profit_per_employee',
      () => ({ from: 0 }),
      ({ profile }, range: object) =>
        within(profile.employees === null ? null : profile.figures.profit / profile.employees, range),
    ],
    ['exports', () => ({ from: 1 }), ({ profile }, range: object) => within(profile.figures.exports, range)],
    ['ownership_type', () => [10, 15], ({ profile }) => [10, 15].includes(profile.legalForm)],
    ['subsidiary_status', () => [1], ({ profile }) => profile.companyType === 1],
    [
      'used_technologies',
      () => market.find(({ profile }) => profile.website?.technologies[0])!.profile.website!.technologies,
      ({ profile }, ids: number[]) => profile.website?.technologies.some((id) => ids.includes(id)) ?? false,
    ],
    [
      'year_of_founding',
      () => ({ from: 2009, to: 2015 }),
      ({ profile }, range: object) =>
        within(profile.incorporation === null ? null : Number(profile.incorporation.slice(0, 4)), range),
    ],
    [
      'website_monthly_visits',
      () => ({ from: 500, to: 5000 }),
      ({ profile }, range: object) => within(profile.website?.visits ?? null, range),
    ],
    [
      'site_ranking',
      () => ({ to: 1_000_000 }),
      ({ profile }, range: object) => within(profile.website?.ranking ?? null, range),
    ],
    [
      'domain',
      () => [some(({ record }) => record.company_website)],
      ({ record }, [domain]: string[]) => record.company_website === domain,
    ],
    [
      'emails',
      () => [some(({ record }) => record.company_email?.[0])],
      ({ record }, [email]: string[]) => record.company_email?.includes(email!) ?? false,
    ],
  ];
  it.each(cases)('filters version 1 companies by %s', async (key, value, holds) => {
    const filters = { [key]: value() };
    const expected = market.filter((entry) => holds(entry, filters[key] as never)).map(({ id }) => id);
    const { body } = await search({ page: 1, per_page: 1000, filters });
    expect(body.data.map(({ id }) => id)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  it('accepts every filter of the reference and no other', async () => {
    expect(cases).toHaveLength(28);
    expect(await search({ page: 1, per_page: 5, filters: { colour: 1 } })).toMatchObject({
      status: 406,
      body: { data: { param: 'colour' } },
    });
    expect((await search({ page: 1, per_page: 5, filters: { size: { gte: 1 } } })).body).toMatchObject({
      data: { param: 'size' },
    });
    expect((await search({ page: 1, per_page: 5, filters: { industry: [], status: [] } })).body.pages).toBe(120);
    expect(ACTIVITIES).toHaveLength(34);
  });
});

describe('GET /v1/finder/company/…', () => {
  it('serves the same company details as version 2', async () => {
    for (const { id, record } of market.slice(0, 60)) {
      const { body } = await app.get<V1Company>(`/v1/finder/company/details?id=${id}`);
      V1Company.parse(body);
      expect(body).toMatchObject({
        id,
        name: record.name,
        country_short_name: record.country_code,
        company_phone: record.company_phone?.[0] ?? '',
      });
      expect(Object.keys(body)).toHaveLength(18);
      expect(body.founding_date).toBe(record.founding_date ?? null);
    }
  });

  it('serves yearly version 1 reports, newest first, with numbers only', async () => {
    let interim = 0;
    for (const { id } of market.slice(0, 200)) {
      const { body } = await app.get<V1FinancialReport>(`/v1/finder/company/financial?id=${id}`);
      V1FinancialReport.parse(body);
      const report = app.sandbox.world.financialReport(id, 0)!;
      const dates = body.reports.map(({ date }) => date);
      expect(dates).toEqual(dates.toSorted((a, b) => b - a));
      expect(body.companyId).toBe(String(id));
      interim += body.reports.length - Object.keys(report).length;
      if (body.reports.length === 0) continue;
      const latest = Object.values(report).at(-1)!;
      expect(body.reports[0]!.date).toBe(Number(String(latest['Reported-Date']).replaceAll('-', '')));
      expect(body.reports[0]!.indicators['Total-Assets']!.value).toBe(latest['Total-Assets']);
      expect(body.reports[0]!.indicators).not.toHaveProperty('Currency');
    }
    expect(interim).toBeGreaterThan(0);
  });

  it('repeats the status of each error in error_code', async () => {
    const wrongMethod = await app.send<Record<string, unknown>>('POST', '/v1/finder/company/details', {});
    expect(wrongMethod).toMatchObject({ status: 405, body: { error_name: 'InvalidRequest', error_code: 405 } });
    const unknownPath = await app.get('/v1/finder/nothing');
    expect(unknownPath).toMatchObject({ status: 404, body: { error_name: 'IdNotFound', error_code: 404 } });
  });

  it('answers IdNotFound to an unknown id and 406 without an id', async () => {
    for (const what of ['details', 'financial']) {
      expect(await app.get(`/v1/finder/company/${what}?id=4`)).toMatchObject({
        status: 404,
        body: { error_name: 'IdNotFound', error_code: 404, data: { id: 4 } },
      });
      expect(await app.get(`/v1/finder/company/${what}?id=x`)).toMatchObject({
        status: 406,
        body: { data: { param: 'id' } },
      });
    }
  });
});
