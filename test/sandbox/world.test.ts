import { describe, expect, it } from 'vitest';
import { USD_PER } from '../../sandbox/world/data/market-countries.js';
import { createWorld } from '../../sandbox/world/index.js';
import { Company } from '../../schemas/v2/company.js';
import { FinancialReport } from '../../schemas/v2/financial-report.js';
import { INDICATORS } from '../../schemas/v2/indicators.js';

const options = { companies: 5000, tenders: 400, seed: 3, date: '2026-11-20' };
const world = createWorld(options);
const ids = world.companyIds(0);
const records = ids.map((id) => world.company(id, 0)!);
const profiles = ids.map((id) => world.profile(id, 0)!);
const share = (count: number): number => count / ids.length;

describe('the generated market', () => {
  it('has the requested number of companies, with gaps between ids', () => {
    expect(ids).toHaveLength(5000);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids.slice(1).map((id, n) => id - ids[n]!)).size).toBeGreaterThan(30);
  });

  it('generates the same market for the same seed, another for another', () => {
    const [twin, other] = [createWorld(options), createWorld({ ...options, seed: 4 })];
    for (const id of ids.slice(0, 50)) {
      expect(twin.company(id, 12)).toEqual(world.company(id, 12));
      expect(twin.financialReport(id, 12)).toEqual(world.financialReport(id, 12));
    }
    expect(other.companyIds(0)).not.toEqual(ids);
  });

  it('generates the same companies when started on a later date', () => {
    const later = createWorld({ ...options, date: '2026-11-30' });
    for (const id of ids.slice(0, 200)) expect(later.company(id, 0)).toEqual(createdOn(id, 10));
    expect(later.tenderSlugs(0)).toHaveLength(400);
    expect(world.tenderSlugs(10)).toEqual(expect.arrayContaining(later.tenderSlugs(0)));
  });

  it('follows the documented shares of missing and frequent values', () => {
    expect(share(profiles.filter(({ employees }) => employees === null).length)).toBeCloseTo(0.4, 1);
    expect(share(profiles.filter(({ figures }) => Number.isNaN(figures.turnover)).length)).toBeCloseTo(0.57, 1);
    expect(share(profiles.filter(({ incorporation }) => incorporation === null).length)).toBeCloseTo(0.05, 1);
    expect(share(profiles.filter(({ incorporation }) => incorporation === '2009-07-01').length)).toBeCloseTo(0.03, 1);
    expect(share(profiles.filter(({ status }) => status === 199).length)).toBeGreaterThan(0.8);
    expect(profiles.some(({ activityTypes }) => activityTypes.length > 1)).toBe(true);
    expect(profiles.some(({ industries }) => industries.length > 2)).toBe(true);
    const zips = new Map<string | null, number>();
    for (const { zip } of profiles.filter(({ country }) => country === 'GB')) zips.set(zip, (zips.get(zip) ?? 0) + 1);
    const sizes = [...zips.values()].toSorted((a, b) => b - a);
    expect(sizes[0]!).toBeGreaterThan(5 * sizes[20]!);
  });

  it('includes names with quotes, line breaks, emoji and many scripts', () => {
    const large = createWorld({ ...options, companies: 30_000 });
    const names = large.companyIds(0).map((id) => large.companyName(id, 0)!);
    for (const oddity of [
      /"/,
      /,/,
      /\n/,
      /🚀/,
      /\p{Script=Greek}/u,
      /\p{Script=Cyrillic}/u,
      /\p{Script=Han}/u,
      /\p{Script=Arabic}/u,
    ]) {
      expect(names.some((name) => oddity.test(name))).toBe(true);
    }
  });

  it('has records of the documented shape with null, empty and missing fields', () => {
    for (const record of records) Company.parse(record);
    expect(records.some(({ id }) => typeof id === 'string')).toBe(true);
    expect(records.some(({ brands }) => brands === null)).toBe(true);
    expect(records.some(({ brands }) => brands === '')).toBe(true);
    expect(records.some((record) => !('brands' in record))).toBe(true);
    expect(records.some(({ company_fax }) => company_fax === null)).toBe(true);
    expect(records.some((record) => !('company_website' in record))).toBe(true);
    expect(records.some((record) => !('founding_date' in record))).toBe(true);
  });

  it('shows in records the values that filters use', () => {
    for (const [n, record] of records.entries()) {
      const profile = profiles[n]!;
      expect(record.founding_date ?? null).toBe(profile.incorporation);
      expect(record.zip_code ?? null).toBe(profile.zip);
      expect(record.status).toBe({ 199: 'Active', 200: 'Inactive', 201: 'Intermediate' }[profile.status]);
      if (profile.employees === null) expect(record.size ?? null).toBeNull();
      else
        expect(boundsOf(String(record.size))).toSatisfy(
          ([low, high]) => profile.employees! >= low && profile.employees! <= high,
        );
    }
  });
});

describe('financial reports', () => {
  const reports = ids.map((id) => world.financialReport(id, 0)!);

  it('has documented reports, some empty and some with null or text values', () => {
    const values = reports.flatMap((report) =>
      Object.values(FinancialReport.parse(report)).flatMap((year) => Object.entries(year)),
    );
    expect(share(reports.filter((report) => Object.keys(report).length === 0).length)).toBeCloseTo(0.17, 1);
    expect(values.some(([, value]) => value === null)).toBe(true);
    expect(values.some(([name, value]) => name === 'Turnover' && typeof value === 'string')).toBe(true);
    expect(values.filter(([name]) => !INDICATORS.has(name))).toEqual([]);
    expect(reports.some((report) => Object.keys(Object.values(report)[0] ?? {}).length > 150)).toBe(true);
  });

  it('shows in the latest report the figures that filters use', () => {
    for (const [n, report] of reports.entries()) {
      const latest = Object.keys(report).toSorted().at(-1);
      const { turnover, profit, yoyTurnover } = profiles[n]!.figures;
      if (latest === undefined) {
        expect([turnover, profit]).toEqual([Number.NaN, Number.NaN]);
        continue;
      }
      const year = report[latest]!;
      const usd = USD_PER[String(year['Currency'])]!;
      if (Number.isNaN(turnover)) expect(year).not.toHaveProperty('Turnover');
      else expect(Number(year['Turnover']) * usd).toBeCloseTo(turnover, 4);
      expect(Number(year['Profit-after-Tax']) * usd).toBeCloseTo(profit, 4);
      expect(year['Turnover-Yoy'] ?? Number.NaN).toBe(yoyTurnover);
      if (Number.isNaN(turnover)) expect(Object.keys(report).some((key) => 'Turnover' in report[key]!)).toBe(false);
    }
  });
});

describe('market days', () => {
  it('changes 1 % of companies a day and adds and removes some', () => {
    let [changed, gone, came] = [0, 0, 0];
    for (let day = 1; day <= 5; day++) {
      const before = new Set(world.companyIds(day - 1));
      const today = world.companyIds(day);
      came += today.filter((id) => !before.has(id)).length;
      gone += today.filter((id) => world.company(id, day) === undefined).length;
      changed += ids.slice(0, 1000).filter((id) => differs(id, day)).length;
    }
    expect(changed / 5 / 1000).toBeGreaterThan(0.005);
    expect(changed / 5 / 1000).toBeLessThan(0.015);
    expect(came).toBe(15);
    expect(gone).toBeGreaterThan(3);
    expect(gone).toBeLessThan(40);
  });

  it('lists a leaving company one more day, without details', () => {
    const listed = world.companyIds(20);
    const left = listed.filter((id) => world.company(id, 20) === undefined);
    for (const id of left) {
      expect(world.company(id, 19)).toBeDefined();
      expect(world.financialReport(id, 20)).toBeUndefined();
      expect(world.companyName(id, 20)).toBeDefined();
      expect(world.companyIds(21)).not.toContain(id);
    }
    expect(left.length).toBeGreaterThan(0);
  });

  it('generates an event for every change of a record', () => {
    let seen = 0;
    for (const id of ids.slice(0, 1200)) {
      for (const day of [1, 2, 3]) {
        if (!differs(id, day)) continue;
        expect(world.events(id, day, day)).not.toEqual([]);
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(15);
  });

  it('generates events in the past on the requested days', () => {
    const past = ids.slice(0, 300).flatMap((id) => world.events(id, -400, -390)!);
    expect(past.length).toBeGreaterThan(10);
    for (const event of past)
      expect(event.day - world.ctx.start).toSatisfy((day: number) => day >= -400 && day <= -390);
  });
});

function createdOn(id: number, day: number): unknown {
  // A market started later has the companies that left before: nobody leaves before day 1.
  return world.company(id, day) ?? createWorld({ ...options, date: world.dateOf(day) }).company(id, 0);
}

function differs(id: number, day: number): boolean {
  const [before, now] = [day - 1, day].map((at) =>
    JSON.stringify([world.company(id, at), world.financialReport(id, at)]),
  );
  return world.company(id, day - 1) !== undefined && world.company(id, day) !== undefined && before !== now;
}

function boundsOf(size: string): [number, number] {
  const [low, high] = size.replace('+', '-Infinity').split('-').map(Number);
  return [low!, high ?? low!];
}
