import { canonicalJson } from '../../../src/planner/request-key.js';
import type { PlanAnswer, PlanRequest } from '../../../src/planner/index.js';

/** A company of the simulated market; null: the register has no such value. */
export interface Company {
  id: number;
  status: number;
  legalForm: number | null;
  country: number;
  activities: number[];
  incorporated: number | null;
  employees: number | null;
  turnover: number | null;
}

export interface ApiQuirks {
  /** Largest page; larger sizes are lowered to it, refused, or answered with `defaultSize`. */
  maxSize?: number;
  oversize?: 'lower' | 'refuse' | 'default';
  defaultSize?: number;
  /** How company_incorporation is understood. */
  dates?: 'days' | 'years' | 'years-in-dates' | 'ignored' | 'refused';
  /** Filter keys that are ignored, or refused. */
  ignored?: string[];
  refused?: string[];
  /** Only the first of several values counts. */
  firstValueOnly?: boolean;
  /** total_pages never says more than this. */
  totalPagesCap?: number;
  /** Companies counted in totals but never listed. */
  hidden?: ((company: Company) => boolean) | undefined;
  /** A range given as null selects companies without a value. */
  nullSelects?: boolean;
  pageCap?: number;
  /** total never says more than this. */
  totalsCap?: number;
  /** How version 1 answers, asked with the same filters: all its pages, ten of them, not at all, or any company. */
  v1?: 'uncapped' | 'capped' | 'refused' | 'ignores filters';
}

const DAY = 86_400_000;

/** An API over a list of companies, with the quirks the reference leaves open. */
export class SimulatedMarket {
  requests = 0;
  private readonly sorted: Company[];
  private readonly days: number[];
  private readonly cache = new Map<string, Company[]>();

  constructor(
    companies: readonly Company[],
    readonly quirks: ApiQuirks = {},
  ) {
    this.sorted = [...companies].sort(
      (a, b) => (a.incorporated ?? Infinity) - (b.incorporated ?? Infinity) || a.id - b.id,
    );
    this.days = this.sorted.map((c) => c.incorporated ?? Infinity);
  }

  /** Adds or removes companies while a crawl runs. */
  change(add: readonly Company[], remove: (company: Company) => boolean): void {
    const next = [...this.sorted.filter((c) => !remove(c)), ...add];
    next.sort((a, b) => (a.incorporated ?? Infinity) - (b.incorporated ?? Infinity) || a.id - b.id);
    this.sorted.splice(0, this.sorted.length);
    for (const company of next) this.sorted.push(company);
    this.days.splice(0, this.days.length);
    for (const company of next) this.days.push(company.incorporated ?? Infinity);
    this.cache.clear();
  }

  /** Companies a search can list. */
  listable(filters: Record<string, unknown>): Company[] {
    const { hidden } = this.quirks;
    return this.match(filters).filter((c) => !hidden?.(c));
  }

  answer({ route, filters, page, per_page }: PlanRequest): PlanAnswer {
    this.requests += 1;
    if (route === 'v1') return this.answerV1(filters, page, per_page);
    const {
      maxSize = 100,
      oversize = 'lower',
      defaultSize = 10,
      pageCap = 10,
      totalPagesCap = Infinity,
      hidden,
    } = this.quirks;
    for (const key of this.quirks.refused ?? []) if (key in filters) return { refused: `${key}: unknown filter` };
    if (per_page > maxSize && oversize === 'refuse') return { refused: `per_page: must be at most ${maxSize}` };
    if (page > pageCap) return { refused: `page: must be at most ${pageCap}` };
    const bad = this.refuse(filters);
    if (bad) return { refused: bad };
    const size = per_page <= maxSize ? per_page : oversize === 'lower' ? maxSize : defaultSize;
    const found = this.match(filters);
    const listed = hidden ? found.filter((c) => !hidden(c)) : found;
    const totalPages = Math.min(totalPagesCap, Math.ceil(found.length / size));
    return {
      total: Math.min(found.length, this.quirks.totalsCap ?? Infinity),
      totalPages,
      ids: listed.slice((page - 1) * size, page * size).map((c) => String(c.id)),
    };
  }

  private answerV1(filters: Record<string, unknown>, page: number, perPage: number): PlanAnswer {
    const { v1 = 'refused', maxSize = 100, hidden } = this.quirks;
    if (v1 === 'refused' || (v1 === 'capped' && page > 10)) return { refused: 'page: not allowed' };
    const size = Math.min(perPage, maxSize);
    const found = this.match(v1 === 'ignores filters' ? {} : filters).filter((c) => !hidden?.(c));
    const ids = found.slice((page - 1) * size, page * size).map((c) => String(c.id));
    return { pages: Math.ceil(found.length / size), ids };
  }

  private refuse(filters: Record<string, unknown>): string | null {
    const range = filters['company_incorporation'];
    const { dates = 'days' } = this.quirks;
    if (range === undefined || dates === 'ignored') return null;
    if (dates === 'refused') return 'company_incorporation: not allowed';
    if (range === null) return this.quirks.nullSelects ? null : 'company_incorporation: must be an object';
    for (const bound of Object.values(range)) {
      if (dates === 'years' && typeof bound !== 'number') return 'company_incorporation: must be years';
      if (dates !== 'years' && typeof bound !== 'string') return 'company_incorporation: must be dates';
    }
    return null;
  }

  private match(filters: Record<string, unknown>): Company[] {
    const key = canonicalJson(filters);
    let found = this.cache.get(key);
    if (!found) {
      found = this.select(filters);
      if (this.cache.size > 200) this.cache.delete(this.cache.keys().next().value!);
      this.cache.set(key, found);
    }
    return found;
  }

  private select(filters: Record<string, unknown>): Company[] {
    const { ignored = [], dates = 'days', firstValueOnly = false } = this.quirks;
    const tests: ((c: Company) => boolean)[] = [];
    let slice = this.sorted;
    for (const [key, value] of Object.entries(filters)) {
      if (ignored.includes(key)) continue;
      if (key === 'company_incorporation') {
        if (dates === 'ignored') continue;
        if (value === null) slice = this.sorted.slice(lowerBound(this.days, Infinity));
        else {
          const { gte, lte } = value as { gte?: string | number; lte?: string | number };
          if (gte === undefined && lte === undefined) continue;
          const from = gte === undefined ? 0 : lowerBound(this.days, this.toDay(gte, false));
          const to = lowerBound(this.days, lte === undefined ? Infinity : this.toDay(lte, true) + 1);
          slice = slice === this.sorted ? slice.slice(from, to) : slice;
        }
        continue;
      }
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
        const { gte = -Infinity, lte = Infinity } = value as { gte?: number; lte?: number };
        if (gte === -Infinity && lte === Infinity) continue;
        const get = (c: Company): number | null => (key === 'number_of_employees' ? c.employees : c.turnover);
        tests.push((c) => {
          const v = get(c);
          return v !== null && v >= gte && v <= lte;
        });
        continue;
      }
      const values = new Set(firstValueOnly ? (value as number[]).slice(0, 1) : (value as number[]));
      if (key === 'company_status') tests.push((c) => values.has(c.status));
      else if (key === 'legal_form') tests.push((c) => c.legalForm !== null && values.has(c.legalForm));
      else if (key === 'location_countries') tests.push((c) => values.has(c.country));
      else if (key === 'activity_type') tests.push((c) => c.activities.some((a) => values.has(a)));
      else throw new Error(`simulated market: no filter ${key}`);
    }
    return tests.length === 0 ? slice : slice.filter((c) => tests.every((test) => test(c)));
  }

  private toDay(bound: string | number, end: boolean): number {
    const year = typeof bound === 'number' ? bound : Number(bound.slice(0, 4));
    if (this.quirks.dates === undefined || this.quirks.dates === 'days')
      return Math.floor(Date.parse(String(bound)) / DAY);
    return Math.floor(Date.UTC(end ? year + 1 : year, 0, 1) / DAY) - (end ? 1 : 0);
  }
}

/** First index whose value is at least `value`. */
function lowerBound(values: readonly number[], value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
