import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProspectingFilters } from '../../schemas/v2/prospecting.js';
import { COUNTRIES } from '../../sandbox/world/data/country-ids.js';
import { createWorld, DEFAULT_RULES } from '../../sandbox/world/index.js';
import { holds } from './brute-force.js';
import { SMALL } from './running.js';

const world = createWorld({ ...SMALL, companies: 400 });
const DAYS = [0, 40];
const market = DAYS.map((day) => world.companyIds(day).map((id) => ({ id, profile: world.profile(id, day)! })));
const profiles = market[0]!.map(({ profile }) => profile);

/** Takes bounds from existing values, so that inclusive bounds are tested. */
function rangeOf(read: (profile: (typeof profiles)[number]) => number | null | undefined): fc.Arbitrary<object> {
  const values = profiles
    .map(read)
    .filter((value): value is number => typeof value === 'number' && !Number.isNaN(value));
  return fc.record({ gte: fc.constantFrom(...values), lte: fc.constantFrom(...values) }, { requiredKeys: [] });
}

function someOf<T>(read: (profile: (typeof profiles)[number]) => readonly T[], more: T): fc.Arbitrary<T[]> {
  const values = [...new Set([...profiles.flatMap(read), more])];
  return fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 });
}

const dates = profiles.flatMap(({ incorporation }) => incorporation ?? []);
const turnovers = rangeOf(({ figures }) => figures.turnover);

const filters = fc.record(
  {
    company_status: someOf(({ status }) => [status], 999),
    number_of_employees: rangeOf(({ employees }) => employees),
    trading_activity: fc.uniqueArray(fc.constantFrom('import', 'export', 'barter'), { minLength: 1 }),
    activity_type: someOf(({ activityTypes }) => activityTypes, 9),
    company_type: someOf(({ companyType }) => [companyType], 3),
    company_incorporation: fc.record(
      { gte: fc.constantFrom(...dates), lte: fc.constantFrom(...dates) },
      { requiredKeys: [] },
    ),
    legal_form: someOf(({ legalForm }) => [legalForm], 77),
    industry_focus: someOf(({ industries }) => industries.map(String), 'Metals'),
    website_keywords: someOf(({ website }) => website?.keywords ?? [], 'nothing'),
    nace: someOf(({ nace }) => [nace, nace.slice(0, 2)], '99.99'),
    isic: someOf(({ isic }) => [isic, isic.slice(0, 3), isic.slice(0, 2)], '9999'),
    sic_code_gb: someOf(({ nationalCode }) => (nationalCode === null ? [] : [nationalCode.code]), '00000'),
    location_zip: someOf(({ zip }) => (zip === null ? [] : [zip, zip.toLowerCase()]), 'none'),
    location_type: someOf(({ city, region }) => (region === null ? [city] : [city, region]), 'Atlantis'),
    financial_currency: someOf(({ currency }) => (currency === null ? [] : [currency]), 'XXX'),
    financial_turnover: turnovers.chain((range) => fc.constantFrom(range, { ...range, currency: 'USD' })),
    financial_profit: rangeOf(({ figures }) => figures.profit),
    financial_liabilities: rangeOf(({ figures }) => figures.liabilities),
    financial_directors: fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 2 }),
    financial_employee_profit: rangeOf(({ figures, employees }) =>
      employees === null ? null : figures.profit / employees,
    ),
    financial_exports: rangeOf(({ figures }) => figures.exports),
    foreign_parents: fc.constantFrom('yes', 'no', 'GB', 'DE'),
    ownership_accounts: fc.constantFrom('yes', 'no'),
    insights_visits: fc.uniqueArray(fc.constantFrom('0-1000', '1001-10000', '100001+'), { minLength: 1 }),
    insights_technologies: someOf(({ website }) => website?.technologies.map(String) ?? [], '1'),
    insights_ranking: rangeOf(({ website }) => website?.ranking),
    advance_companies: fc.uniqueArray(
      fc.constantFrom('has_phone', 'has_email', 'has_fax', 'has_website', 'has_pronet', 'has_financials'),
    ),
    yoy_turnover: rangeOf(({ figures }) => figures.yoyTurnover),
    yoy_profit: rangeOf(({ figures }) => figures.yoyProfit),
  },
  { requiredKeys: [] },
);

/** At most three filters at once: more would match nothing in a small market. */
const fewFilters = fc.tuple(filters, fc.array(fc.nat(), { minLength: 1, maxLength: 3 })).map(([all, picks]) => {
  const entries = Object.entries(all);
  return Object.fromEntries(picks.flatMap((pick) => (entries.length === 0 ? [] : [entries[pick % entries.length]!])));
}) as fc.Arbitrary<ProspectingFilters>;

describe('prospecting filters', () => {
  it('finds the same companies as a full scan', () => {
    let found = 0;
    fc.assert(
      fc.property(fewFilters, fc.constantFrom(0, 1), (given, nth) => {
        const expected = market[nth]!.filter(({ profile }) => holds(profile, given)).map(({ id }) => id);
        expect(world.matching(given, DAYS[nth]!)).toEqual(expected);
        found += expected.length;
      }),
      { numRuns: 600, seed: 11 },
    );
    expect(found).toBeGreaterThan(5000);
  });

  it('filters by year of incorporation if configured for years', () => {
    const expected = market[0]!.filter(({ profile }) => /^20(09|10)/.test(profile.incorporation ?? ''));
    const found = world.matching({ company_incorporation: { gte: 2009, lte: '2010' } }, 0, {
      ...DEFAULT_RULES,
      incorporation: 'year',
    });
    expect(found).toEqual(expected.map(({ id }) => id));
    expect(found.length).toBeGreaterThan(0);
  });

  it('accepts years far outside the market', () => {
    const known = market[0]!.filter(({ profile }) => profile.incorporation !== null).length;
    const count = (range: { gte?: string; lte?: string }): number =>
      world.matching({ company_incorporation: range }, 0, { ...DEFAULT_RULES, incorporation: 'year' }).length;
    expect([count({ gte: '0050' }), count({ lte: '0050' }), count({ gte: '9999' })]).toEqual([known, 0, 0]);
    const founded = (range: { from?: number; to?: number }): number =>
      world.matchingV1({ year_of_founding: range }, 0).length;
    expect([founded({ from: -1e300 }), founded({ from: 1e12 }), founded({})]).toEqual([known, 0, known]);
  });

  it('filters by region and country in every notation', () => {
    const british = market[0]!.filter(({ profile }) => profile.country === 'GB').map(({ id }) => id);
    const id = COUNTRIES.find((country) => country.short_name === 'GB')!.id;
    for (const selection of [{ include: [`2_${id}`] }, { include: [id] }, { [`2_${id}`]: true }]) {
      expect(world.matching({ location_countries: selection }, 0)).toEqual(british);
    }
    const all = world.companyIds(0);
    expect(world.matching({ location_countries: { exclude: [id] } }, 0)).toHaveLength(all.length - british.length);
    const asian = market[0]!.filter(({ profile }) => ['SG', 'JP', 'KR', 'AU', 'NZ'].includes(profile.country));
    expect(world.matching({ location_regions: { '1': true } }, 0)).toHaveLength(asian.length);
    expect(world.matching({ location_regions: { '1': false } }, 0)).toHaveLength(all.length - asian.length);
  });

  it('filters by profile address', () => {
    const { id, pronet } = world
      .companyIds(0)
      .map((companyId) => world.company(companyId, 0)!)
      .find((company) => company.pronet)!;
    expect(world.matching({ pronet: pronet! }, 0)).toEqual([Number(id)]);
    expect(world.matching({ pronet: 'https://pronet.example/company/nobody-zz' }, 0)).toEqual([]);
  });

  it('splits the market exactly by status and by legal form', () => {
    const total = world.companyIds(0).length;
    const count = (given: ProspectingFilters): number => world.matching(given, 0).length;
    expect([199, 200, 201].reduce((sum, id) => sum + count({ company_status: [id] }), 0)).toBe(total);
    const forms = [2, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18];
    expect(forms.reduce((sum, id) => sum + count({ legal_form: [id] }), 0)).toBe(total);
    expect(count({ number_of_employees: {} })).toBeLessThan(total);
  });
});
