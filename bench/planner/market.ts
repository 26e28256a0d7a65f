import { canonicalJson } from '../../src/base/json/canonical-json.js';
import type { PlanAnswer, PlanRequest } from '../../src/crawl/search/plan/index.js';
import type { Columns } from './columns.js';
import { readFilters, type FilterQuirks } from './filters.js';
import { MarketIndex, type Found } from './market-index.js';

/** Behaviour of the simulated API that the API reference leaves open. */
export interface MarketQuirks extends FilterQuirks {
  /** Largest page size. Default 100. */
  maxSize?: number;
  /** Answer to a larger page size: lower it to `maxSize` (default), refuse it, or use `defaultSize`. */
  oversize?: 'lower' | 'refuse' | 'default';
  defaultSize?: number;
  /** Last page that a search shows. Default 10. */
  pageCap?: number;
  /** Largest value of `total_pages`. */
  totalPagesCap?: number;
  /** Largest value of the total. */
  totalsCap?: number;
  /** Companies that totals count but searches never list. */
  hidden?: ((id: number) => boolean) | undefined;
  /** Answers of version 1: all pages, ten pages, a refusal (default), or all companies whatever the filters. */
  v1?: 'uncapped' | 'capped' | 'refused' | 'ignores filters';
}

const KEPT = 100;
const NOBODY = { total: 0, totalPages: 0, ids: [] };

/**
 * Simulates a company data API over the columns of a market, with behaviour that the reference leaves open. The same
 * request always gets the same answer.
 */
export class Market {
  private readonly index: MarketIndex;
  private readonly cache = new Map<string, Found | string>();

  constructor(
    readonly columns: Columns,
    readonly quirks: MarketQuirks = {},
  ) {
    this.index = new MarketIndex(columns);
  }

  /** Answers a request of a plan. */
  answer({ route, filters, page, per_page }: PlanRequest): PlanAnswer {
    return route === 'v1' ? this.answerV1(filters, page, per_page) : this.answerV2(filters, page, per_page);
  }

  /** Ids of all companies that a search lists, without the page cap. Empty when its filters are refused. */
  idsOf(filters: Record<string, unknown>): string[] {
    const found = this.find(filters);
    return typeof found === 'string' ? [] : this.list(found, 1, found.total);
  }

  private answerV2(filters: Record<string, unknown>, page: number, perPage: number): PlanAnswer {
    const { maxSize = 100, oversize = 'lower', pageCap = 10 } = this.quirks;
    const { totalPagesCap = Infinity, totalsCap = Infinity } = this.quirks;
    if (perPage > maxSize && oversize === 'refuse') return { refused: `per_page: must be at most ${maxSize}` };
    if (page > pageCap) return { refused: `page: must be at most ${pageCap}` };
    const found = this.find(filters);
    if (typeof found === 'string') return this.quirks.wrongBounds === 'empty' ? NOBODY : { refused: found };
    const size = this.sizeFor(perPage);
    return {
      total: Math.min(totalsCap, found.total),
      totalPages: Math.min(totalPagesCap, Math.ceil(found.total / size)),
      ids: this.list(found, page, size),
    };
  }

  private answerV1(filters: Record<string, unknown>, page: number, perPage: number): PlanAnswer {
    const { v1 = 'refused' } = this.quirks;
    if (v1 === 'refused' || (v1 === 'capped' && page > 10)) return { refused: 'page: not allowed' };
    const found = this.find(v1 === 'ignores filters' ? {} : filters);
    if (typeof found === 'string') return { refused: found };
    const size = this.sizeFor(perPage);
    return { pages: Math.ceil(found.total / size), ids: this.list(found, page, size) };
  }

  private sizeFor(perPage: number): number {
    const { maxSize = 100, oversize = 'lower', defaultSize = 10 } = this.quirks;
    return perPage <= maxSize ? perPage : oversize === 'default' ? defaultSize : maxSize;
  }

  private list(found: Found, page: number, size: number): string[] {
    const { hidden } = this.quirks;
    const { id } = this.columns;
    const span: [number, number] = [(page - 1) * size, page * size];
    // Skip hidden companies: they have no place in the list.
    if (hidden) {
      const listed = found.rows(0, found.total).filter((row) => !hidden(id[row]!));
      return listed.slice(...span).map((row) => String(id[row]));
    }
    return found.rows(...span).map((row) => String(id[row]));
  }

  /** Result of a search, or the reason why its filters are refused. */
  private find(filters: Record<string, unknown>): Found | string {
    const key = canonicalJson(filters);
    let found = this.cache.get(key);
    if (found === undefined) {
      const criteria = readFilters(filters, this.quirks);
      found = typeof criteria === 'string' ? criteria : this.index.search(criteria);
      if (this.cache.size >= KEPT) this.cache.delete(this.cache.keys().next().value!);
      this.cache.set(key, found);
    }
    return found;
  }
}
