import { describe, expect, it } from 'vitest';
import type { Calibration, Dimension, PlanInput, Rotation } from '../../../src/planner/index.js';
import { crawlMarket, type CrawlOptions } from './crawl.js';
import { generateCompanies } from './generate.js';
import { SimulatedMarket, type Company } from './simulated-market.js';

const NIGHTS = 7;
const dayOf = (night: number): string => new Date(Date.UTC(2026, 0, 1 + night)).toISOString().slice(0, 10);

/**
 * Successive nights of one market with the state that a run keeps: dates of the parts, and when each company was seen.
 */
class Nights {
  night = 0;
  readonly seenOn = new Map<string, string>();
  private calibration: Calibration | null = null;
  private key: string | null = null;
  private parts: string[] = [];

  constructor(
    readonly market: SimulatedMarket,
    private readonly isDated: (id: string) => boolean,
  ) {}

  /** The input of tonight's plan. */
  input(): Partial<PlanInput> {
    const since = this.parts.toSorted()[0];
    const rotation: Rotation | null =
      this.key === null || since === undefined
        ? null
        : {
            key: this.key,
            part: this.parts.indexOf(since),
            of: NIGHTS,
            carried: Object.fromEntries(
              this.parts.map((day) => [day, [...this.seenOn.keys()].filter((id) => this.isCarried(id, day))]),
            ),
          };
    return { remainderNights: NIGHTS, known: { distributions: {}, calibration: this.calibration, rotation } };
  }

  private isCarried(id: string, day: string): boolean {
    return this.seenOn.get(id) === day && !this.isDated(id);
  }

  run(options: CrawlOptions = {}) {
    const result = crawlMarket(this.market, this.input(), options);
    const day = dayOf(this.night++);
    for (const answer of result.answers.values())
      if ('ids' in answer) for (const id of answer.ids) this.seenOn.set(id, day);
    this.calibration = result.plan.calibration();
    const { turns } = this.calibration;
    if (turns?.key !== this.key) this.parts = Array.from({ length: NIGHTS }, () => day);
    this.key = turns?.key ?? null;
    for (const part of turns?.searched ?? []) this.parts[part] = day;
    return { ...result, carried: Object.values(result.plan.carried()).flat() };
  }
}

const companies = generateCompanies({ companies: 30_000, seed: 11, withoutIncorporation: 0.05, legalForms: 4 });
const undated = companies.filter(({ incorporated }) => incorporated === null);
const ids = (some: readonly Company[]) => some.map(({ id }) => String(id));

function start(of: readonly Company[] = companies): Nights {
  const withoutDate = new Set(ids(companies.filter(({ incorporated }) => incorporated === null)));
  return new Nights(new SimulatedMarket(of), (id) => !withoutDate.has(id));
}

describe('rotation over companies without a date', () => {
  it('costs less than the first night and counts postponed companies as missing', () => {
    const nights = start();
    const whole = nights.run();
    expect(whole.coverage.missing).toBe(0);
    expect(whole.carried).toEqual([]);
    const requests = [];
    for (let night = 1; night <= NIGHTS; night++) {
      const { coverage, carried, requests: spent, plan } = nights.run();
      requests.push(spent);
      const since = Object.keys(coverage.carried ?? {}).toSorted()[0];
      const marked = plan.segments().filter(({ carried: some }) => some > 0);
      expect(marked).toMatchObject([
        { segment: 'root', carried: carried.length, carried_since: since },
        { parent: 'root', carried: carried.length, carried_since: since },
      ]);
      expect(coverage).toMatchObject({
        reported_total: 30_000,
        distinct_companies: 30_000 - carried.length,
        missing: carried.length,
        share: (30_000 - carried.length) / 30_000,
      });
      expect(coverage.why).toEqual([expect.objectContaining({ class: 'carried', missing: carried.length })]);
      expect(coverage.certificate.carried).toEqual({ found: 0, missing: carried.length });
      expect(Object.values(coverage.carried ?? {}).reduce((sum, some) => sum + some, 0)).toBe(carried.length);
      expect(carried.length).toBeGreaterThan(undated.length / 3);
    }
    expect([whole.requests, ...requests]).toEqual([389, 340, 326, 322, 321, 320, 323, 321]);
    const mean = requests.reduce((sum, some) => sum + some, 0) / NIGHTS;
    console.log(`whole ${whole.requests}, then ${requests.join(', ')}, on average ${(mean / 300).toFixed(3)} a page`);
    expect(mean).toBeLessThan(0.85 * whole.requests);
  });

  it('finds new companies and drops gone ones within seven nights', () => {
    const newcomers = undated.slice(0, 40);
    const leavers = undated.slice(40, 80);
    const leavingDated = companies.filter(({ incorporated }) => incorporated !== null).slice(0, 40);
    const nights = start(companies.filter((company) => !newcomers.includes(company)));
    nights.run();
    const gone = new Set([...leavers, ...leavingDated]);
    nights.market.change(newcomers, (company) => gone.has(company));
    const found = new Set<string>();
    for (let night = 1; night <= NIGHTS; night++) {
      const { coverage, carried, answers } = nights.run();
      for (const answer of answers.values()) if ('ids' in answer) for (const id of answer.ids) found.add(id);
      expect(carried).not.toEqual(
        expect.arrayContaining([expect.toSatisfy((id: string) => ids(leavingDated).includes(id))]),
      );
      const { gone: fewer, ...classes } = coverage.certificate;
      const sums = Object.values(classes).reduce((sum, some) => sum + some.found + some.missing, 0);
      expect(sums - fewer).toBe(coverage.reported_total);
    }
    expect(ids(newcomers).filter((id) => !found.has(id))).toEqual([]);
    expect(nights.run().carried.filter((id) => ids(leavers).includes(id))).toEqual([]);
  });

  it('treats a total as no proof if new companies replaced missing ones', () => {
    const market = generateCompanies({ companies: 6_000, seed: 3, withoutIncorporation: 0.05 });
    const whole = new Set(ids(market.filter(({ incorporated }) => incorporated === null)));
    const nights = new Nights(new SimulatedMarket(market), (id) => !whole.has(id));
    nights.run();
    // The fourth of seven parts is searched on the fourth night after the first.
    const leavers = market.filter(({ incorporated, country }) => incorporated === null && country === 4).slice(0, 2);
    const newcomers = leavers.map((company) => ({ ...company, id: company.id + 1 }));
    nights.market.change(newcomers, (company) => leavers.includes(company));
    for (const night of [2, 3]) {
      const { coverage, carried, distinct } = nights.run();
      expect(carried).toEqual(expect.arrayContaining(ids(leavers)));
      expect(coverage.reported_total, `night ${night}`).toBe(6_000);
      expect(coverage.distinct_companies).toBe(distinct);
      expect(coverage.missing).toBe(6_000 - distinct);
      expect(coverage.missing).toBeGreaterThan(100);
      expect(coverage.share).toBeLessThan(0.99);
      expect(coverage.carried?.['2026-01-01']).toBeGreaterThan(100);
      expect(coverage.why.map((gap) => gap.class)).toEqual(['carried']);
    }
  });

  it('leaves a gap open if late departures make the totals match', () => {
    const market = generateCompanies({ companies: 3_000, seed: 4, withoutIncorporation: 0.02 });
    const hidden = market.filter(({ incorporated }) => incorporated === null);
    const gone = new Set(market.filter(({ incorporated }) => incorporated !== null).slice(0, hidden.length));
    const api = new SimulatedMarket(market);
    const before = ({ purpose }: { purpose: string }): void => {
      if (purpose === 'final') api.change([], (company) => gone.has(company));
    };
    const dimensions: Dimension[] = [{ kind: 'range', key: 'company_incorporation', type: 'date' }];
    const { coverage } = crawlMarket(api, { dimensions }, { before });
    expect(coverage).toMatchObject({ reported_total: 3_000 - gone.size, missing: 0 });
    expect(coverage.why).toEqual([
      expect.objectContaining({
        segment: 'root',
        missing: 0,
        reason: expect.stringMatching(/companies may be missing although the totals are equal/) as string,
      }),
    ]);
  });

  it('plans the same rotation in any order of answers', () => {
    const nights = start();
    nights.run();
    const input = nights.input();
    const last = crawlMarket(nights.market, input, { pick: (inFlight) => inFlight - 1 });
    const first = crawlMarket(nights.market, input);
    expect(last.plan.segments()).toEqual(first.plan.segments());
    expect(last.coverage).toEqual(first.coverage);
    expect(last.plan.carried()).toEqual(first.plan.carried());
  });

  it("searches all parts at once when the rotation's values changed", () => {
    const nights = start();
    nights.run();
    const input = nights.input();
    const rotation = { ...input.known!.rotation!, key: 'other values' };
    const { plan, coverage } = crawlMarket(nights.market, { ...input, known: { ...input.known!, rotation } });
    expect(plan.carried()).toEqual({});
    expect(coverage.missing).toBe(0);
    expect(plan.calibration().turns?.searched).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('plans no rotation when every company has a date', () => {
    const dated = start(companies.filter(({ incorporated }) => incorporated !== null));
    dated.run();
    expect(dated.input().known?.rotation).toBeNull();
  });
});
