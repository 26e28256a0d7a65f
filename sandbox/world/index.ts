import type { TenderDetails, TenderSummary } from '../../schemas/v1/tender.js';
import type { V1CompanyFilters } from '../../schemas/v1/company.js';
import type { Company } from '../../schemas/v2/company.js';
import type { FinancialReport } from '../../schemas/v2/financial-report.js';
import type { OverviewRequest } from '../../schemas/v2/overview.js';
import type { ProspectingFilters } from '../../schemas/v2/prospecting.js';
import { fromIso, toIso } from './calendar.js';
import { readVersions, Versions } from './changes.js';
import { advanceColumns, buildColumns, type Columns } from './columns.js';
import { companyRecord } from './company-record.js';
import { cityNameOf } from './contacts.js';
import { createContext, type Context, type WorldOptions } from './context.js';
import { COUNTRIES } from './data/country-ids.js';
import { eventsOf, type CompanyEvent } from './events.js';
import { applyOverview, type OverviewScope } from './filters/overview.js';
import { applyV1CompanyFilters } from './filters/v1-companies.js';
import { applyProspectingFilters, type AskedFilters } from './filters/prospecting.js';
import { DEFAULT_RULES, type FilterRules } from './filters/rules.js';
import { Rows } from './filters/rows.js';
import { financialReport } from './financial-report.js';
import { exists, idOf, indexOf, isListed } from './membership.js';
import { nameOf } from './names.js';
import { profileOf, type Profile } from './profile.js';
import { registrationNumberOf, vatNumberOf } from './registration.js';
import { foundedOn, marketCountryOf } from './traits.js';
import { findTender, listTenders, tenderDetails, tenderSummary, type TenderFacts } from './tenders/tenders.js';

export { FilterError } from './filters/filter-error.js';
export type { AskedFilters } from './filters/prospecting.js';
export { DEFAULT_RULES, type FilterRules } from './filters/rules.js';
export type { WorldOptions } from './context.js';
export type { CompanyEvent } from './events.js';
export type { Profile } from './profile.js';
export type { TenderFacts } from './tenders/tenders.js';

/** Number of days for which columns stay in memory: the current day, and another day for which a caller asks. */
const KEPT_DAYS = 2;
/**
 * Maximum number of days over which columns are updated. Over a longer time most companies change, so the columns are
 * built again.
 */
const MAX_ADVANCE = 60;

/**
 * The market on any day. The sandbox serves this market, and tests compare a warehouse with it.
 *
 * Terms in this folder:
 * - *day*: counted from the start date (day 0); may be negative. A *unix day* is counted from 1970-01-01.
 * - *id*: the number that the API shows. *index*: number of a company, counted from 0. The code of this folder uses the
 *   index.
 * - *position*: place of an entry in a list of `data/`.
 * - *version*: state of one attribute between two changes (changes.ts).
 */
export class World {
  readonly ctx: Context;
  readonly #columns = new Map<number, Columns>();
  readonly #versions = new Versions();
  /** Array for the companies that still match during a search. All searches use the same array. */
  #target = new Uint32Array(0);
  #names: { day: number; list: readonly string[] } | undefined;

  constructor(options: WorldOptions) {
    this.ctx = createContext(options);
  }

  /** Returns the calendar date (yyyy-mm-dd) of a day that is counted from the market's start. */
  dateOf(day: number): string {
    return toIso(this.ctx.start + day);
  }

  /** Returns how many days after the market's start a calendar date is. Undefined when the text is no date. */
  dayOf(date: string): number | undefined {
    const unixDay = fromIso(date);
    return unixDay === undefined ? undefined : unixDay - this.ctx.start;
  }

  /**
   * Returns the ids that searches list on a day, ascending. They include companies that left on this day, whose details
   * already answer 404.
   */
  companyIds(day: number): number[] {
    return this.matching({}, day);
  }

  /**
   * Returns the record that `GET /v2/companies/{id}` returns. Undefined when the company does not exist on that day
   * (404).
   */
  company(id: number, day: number): Company | undefined {
    const at = this.#at(id, day);
    return at && companyRecord(this.ctx, at.index, at.versions);
  }

  /** Returns the name that searches show. Undefined when searches do not list the company. */
  companyName(id: number, day: number): string | undefined {
    const index = indexOf(this.ctx, id);
    if (index === undefined || !isListed(this.ctx, index, this.ctx.start + day)) return undefined;
    return nameOf(this.ctx, index, this.versionsOf(index, day));
  }

  /**
   * Returns the report that `GET /v2/financial/{id}` returns, with all years. Undefined when the company does not exist
   * on that day.
   */
  financialReport(id: number, day: number): FinancialReport | undefined {
    const at = this.#at(id, day);
    return at && financialReport(this.ctx, at.index, this.ctx.start + day, at.versions);
  }

  /** Returns the attributes that filters use. Undefined if no search lists the company on that day. */
  profile(id: number, day: number): Profile | undefined {
    const index = indexOf(this.ctx, id);
    if (index === undefined || !isListed(this.ctx, index, this.ctx.start + day)) return undefined;
    return profileOf(this.ctx, index, this.ctx.start + day, this.versionsOf(index, day));
  }

  /**
   * Returns the events of a company between two days, oldest first. Both days are included. Undefined for an unknown
   * id.
   */
  events(id: number, fromDay: number, toDay: number): CompanyEvent[] | undefined {
    const index = indexOf(this.ctx, id);
    return index === undefined
      ? undefined
      : eventsOf(this.ctx, index, this.ctx.start + fromDay, this.ctx.start + toDay);
  }

  /**
   * Returns the ids that match prospecting filters on a day, ascending.
   *
   * @throws FilterError for a value that cannot be applied
   */
  matching(filters: ProspectingFilters, day: number, rules?: FilterRules): number[] {
    return Array.from(this.matchingIndices(filters, day, rules), (index) => idOf(this.ctx, index));
  }

  /** Like `matching`, but returns company indices instead of ids. */
  matchingIndices(filters: AskedFilters, day: number, rules: FilterRules = DEFAULT_RULES): Uint32Array {
    return this.#search(day, rules, (rows, scope) => applyProspectingFilters(rows, filters, scope));
  }

  /**
   * Returns the indices of companies that match filters of version 1 on a day, ascending.
   *
   * @throws FilterError for a value that cannot be applied
   */
  matchingV1(filters: V1CompanyFilters, day: number, rules: FilterRules = DEFAULT_RULES): Uint32Array {
    return this.#search(day, rules, (rows, scope) => applyV1CompanyFilters(rows, filters, scope));
  }

  /** Returns the indices of companies that match a company search (`POST /v2/overview`) on a day, ascending. */
  matchingOverview(asked: OverviewRequest, day: number): Uint32Array {
    return this.#search(day, DEFAULT_RULES, (rows, scope) => applyOverview(rows, asked, scope));
  }

  #search(day: number, rules: FilterRules, narrow: (rows: Rows, scope: OverviewScope) => void): Uint32Array {
    const columns = this.columns(day);
    if (this.#target.length < columns.rows.length) this.#target = new Uint32Array(columns.length);
    const rows = new Rows(columns, this.#target);
    narrow(rows, {
      ctx: this.ctx,
      columns,
      rules,
      names: () => this.#namesOf(day),
      numbersOf: (index) => {
        const versions = this.versionsOf(index, day);
        return {
          registration: registrationNumberOf(index, versions),
          vat: vatNumberOf(this.ctx, index, versions),
        };
      },
      versionsOf: (index) => this.versionsOf(index, day),
    });
    return rows.result();
  }

  /** Returns the company names in lower case, for searches by name. The first such search of a day computes them. */
  #namesOf(day: number): readonly string[] {
    if (this.#names?.day === day) return this.#names.list;
    const { length, listed } = this.columns(day);
    const list = Array.from({ length }, (_, index) =>
      listed[index] === 1 ? nameOf(this.ctx, index, this.versionsOf(index, day)).toLowerCase() : '',
    );
    this.#names = { day, list };
    return list;
  }

  /**
   * Returns whether a company is in a place. The place is a city, a state, or a country by name or code. Case makes no
   * difference.
   */
  isAt(index: number, day: number, place: string): boolean {
    const { code } = marketCountryOf(this.ctx, index);
    const country = COUNTRIES.find(({ short_name }) => short_name === code)?.name ?? '';
    const names = [code, country, ...cityNameOf(this.ctx, index, this.versionsOf(index, day))];
    return names.some((name) => name !== null && name.toLowerCase() === place.trim().toLowerCase());
  }

  /** Returns whether the API has details of a company on a day. */
  exists(index: number, day: number): boolean {
    return exists(this.ctx, index, this.ctx.start + day);
  }

  /** Returns a company as a search shows it. Searches must list the company on that day; this is not checked. */
  summary(index: number, day: number): { id: number; name: string } {
    return { id: idOf(this.ctx, index), name: nameOf(this.ctx, index, this.versionsOf(index, day)) };
  }

  /** Returns the columns of a day. The first call for a day builds them, which takes seconds in a large market. */
  columns(day: number): Columns {
    const kept = this.#columns.get(day);
    if (kept) return kept;
    const earlier = Math.max(...[...this.#columns.keys()].filter((known) => known < day));
    const base = day - earlier <= MAX_ADVANCE ? this.#columns.get(earlier) : undefined;
    const unixDay = this.ctx.start + day;
    const columns = base ? advanceColumns(this.ctx, base, unixDay) : buildColumns(this.ctx, unixDay);
    this.#forgetOldest();
    this.#columns.set(day, columns);
    return columns;
  }

  #forgetOldest(): void {
    const [oldest] = this.#columns.keys();
    if (this.#columns.size >= KEPT_DAYS && oldest !== undefined) this.#columns.delete(oldest);
  }

  /** Returns the tenders listed on a day. The newest announcement comes first. */
  tenders(day: number): TenderFacts[] {
    return this.ctx.options.tenders === 0 ? [] : listTenders(this.ctx, this.ctx.start + day);
  }

  tenderSlugs(day: number): string[] {
    return this.tenders(day).map((facts) => facts.slug);
  }

  /** Returns a tender as an item of `POST /v1/finder/tenders`. Undefined when the slug is not listed on that day. */
  tenderSummary(slug: string, day: number): TenderSummary | undefined {
    const facts = this.#tender(slug, day);
    return facts && tenderSummary(facts);
  }

  /** Returns the answer to `GET /v1/finder/tenders/details`. Undefined when the slug is not listed on that day. */
  tender(slug: string, day: number): TenderDetails | undefined {
    const facts = this.#tender(slug, day);
    return facts && tenderDetails(this.ctx, facts);
  }

  #tender(slug: string, day: number): TenderFacts | undefined {
    return this.ctx.options.tenders === 0 ? undefined : findTender(this.ctx, slug, this.ctx.start + day);
  }

  #at(id: number, day: number): { index: number; versions: Versions } | undefined {
    const index = indexOf(this.ctx, id);
    if (index === undefined || !exists(this.ctx, index, this.ctx.start + day)) return undefined;
    return { index, versions: this.versionsOf(index, day) };
  }

  /**
   * Returns the version number of each attribute of a company on a day. Every call returns the same object, so its
   * content is valid only until the next call.
   */
  versionsOf(index: number, day: number): Versions {
    return readVersions(this.ctx, index, foundedOn(this.ctx, index), this.ctx.start + day, this.#versions);
  }
}

/**
 * Creates a market.
 *
 * @throws RangeError that names the invalid option
 */
export function createWorld(options: WorldOptions): World {
  return new World(options);
}
