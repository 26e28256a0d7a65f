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
import { findTender, listTenders, tenderDetails, tenderSummary, type TenderFacts } from './tenders.js';

export { FilterError } from './filters/filter-error.js';
export type { AskedFilters } from './filters/prospecting.js';
export { DEFAULT_RULES, type FilterRules } from './filters/rules.js';
export type { WorldOptions } from './context.js';
export type { CompanyEvent } from './events.js';
export type { Profile } from './profile.js';
export type { TenderFacts } from './tenders.js';

/** How many days' columns are kept: today's, and one more for questions about another day. */
const KEPT_DAYS = 2;
/** Days over which columns are advanced rather than built anew: beyond, most companies have changed. */
const MAX_ADVANCE = 60;

/**
 * The market, on any day: what the sandbox serves, and the truth that tests compare a warehouse with. Days count from
 * the start date (day 0) and may be negative; ids are company ids as numbers.
 */
export class World {
  readonly ctx: Context;
  readonly #columns = new Map<number, Columns>();
  readonly #versions = new Versions();
  /** Where searches write what is left, one after the other. */
  #target = new Uint32Array(0);
  #names: { day: number; list: readonly string[] } | undefined;

  constructor(options: WorldOptions) {
    this.ctx = createContext(options);
  }

  /** Calendar date of a day, yyyy-mm-dd. */
  dateOf(day: number): string {
    return toIso(this.ctx.start + day);
  }

  /** Day of a calendar date; undefined when the text is no date. */
  dayOf(date: string): number | undefined {
    const unixDay = fromIso(date);
    return unixDay === undefined ? undefined : unixDay - this.ctx.start;
  }

  /** Ids that searches list on a day, ascending: those that left that day included (their details are gone). */
  companyIds(day: number): number[] {
    return this.matching({}, day);
  }

  /** The record `GET /v2/companies/{id}` serves; undefined when the company does not exist that day (404). */
  company(id: number, day: number): Company | undefined {
    const at = this.#at(id, day);
    return at && companyRecord(this.ctx, at.index, at.versions);
  }

  /** Name as searches show it; undefined when they do not list the company. */
  companyName(id: number, day: number): string | undefined {
    const index = indexOf(this.ctx, id);
    if (index === undefined || !isListed(this.ctx, index, this.ctx.start + day)) return undefined;
    return nameOf(this.ctx, index, this.versionsOf(index, day));
  }

  /** The report `GET /v2/financial/{id}` serves, all years; undefined when the company does not exist that day. */
  financialReport(id: number, day: number): FinancialReport | undefined {
    const at = this.#at(id, day);
    return at && financialReport(this.ctx, at.index, this.ctx.start + day, at.versions);
  }

  /** What filters look at; undefined for a company that searches do not list that day. */
  profile(id: number, day: number): Profile | undefined {
    const index = indexOf(this.ctx, id);
    if (index === undefined || !isListed(this.ctx, index, this.ctx.start + day)) return undefined;
    return profileOf(this.ctx, index, this.ctx.start + day, this.versionsOf(index, day));
  }

  /** Events of a company from one day to another, both included, oldest first; undefined for an unknown id. */
  events(id: number, fromDay: number, toDay: number): CompanyEvent[] | undefined {
    const index = indexOf(this.ctx, id);
    return index === undefined
      ? undefined
      : eventsOf(this.ctx, index, this.ctx.start + fromDay, this.ctx.start + toDay);
  }

  /** Ids that match prospecting filters on a day, ascending. Throws FilterError for a value that cannot be applied. */
  matching(filters: ProspectingFilters, day: number, rules?: FilterRules): number[] {
    return Array.from(this.matchingIndices(filters, day, rules), (index) => idOf(this.ctx, index));
  }

  /** The same as indices, without making ids of all of them. */
  matchingIndices(filters: AskedFilters, day: number, rules: FilterRules = DEFAULT_RULES): Uint32Array {
    return this.#search(day, rules, (rows, scope) => applyProspectingFilters(rows, filters, scope));
  }

  /** Indices that match version 1 company filters on a day, ascending. */
  matchingV1(filters: V1CompanyFilters, day: number, rules: FilterRules = DEFAULT_RULES): Uint32Array {
    return this.#search(day, rules, (rows, scope) => applyV1CompanyFilters(rows, filters, scope));
  }

  /** Indices that match a company search (`POST /v2/overview`) on a day, ascending. */
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

  /** Names in lower case, for searches by name: made when first needed on a day. */
  #namesOf(day: number): readonly string[] {
    if (this.#names?.day === day) return this.#names.list;
    const { length, listed } = this.columns(day);
    const list = Array.from({ length }, (_, index) =>
      listed[index] === 1 ? nameOf(this.ctx, index, this.versionsOf(index, day)).toLowerCase() : '',
    );
    this.#names = { day, list };
    return list;
  }

  /** Whether a company is in a place: a city, a state, or a country by name or code, whatever the case. */
  isAt(index: number, day: number, place: string): boolean {
    const { code } = marketCountryOf(this.ctx, index);
    const country = COUNTRIES.find(({ short_name }) => short_name === code)?.name ?? '';
    const names = [code, country, ...cityNameOf(this.ctx, index, this.versionsOf(index, day))];
    return names.some((name) => name !== null && name.toLowerCase() === place.trim().toLowerCase());
  }

  /** Whether the company's own routes know it on a day. */
  exists(index: number, day: number): boolean {
    return exists(this.ctx, index, this.ctx.start + day);
  }

  /** Search result item of an index that is listed on the day. */
  summary(index: number, day: number): { id: number; name: string } {
    return { id: idOf(this.ctx, index), name: nameOf(this.ctx, index, this.versionsOf(index, day)) };
  }

  /** Columns of a day: built when first asked for, which takes a while in a large market. */
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

  /** Tenders listed on a day, newest announcement first. */
  tenders(day: number): TenderFacts[] {
    return this.ctx.options.tenders === 0 ? [] : listTenders(this.ctx, this.ctx.start + day);
  }

  tenderSlugs(day: number): string[] {
    return this.tenders(day).map((facts) => facts.slug);
  }

  /** Item of `POST /v1/finder/tenders`; undefined when the slug is not listed that day. */
  tenderSummary(slug: string, day: number): TenderSummary | undefined {
    const facts = this.#tender(slug, day);
    return facts && tenderSummary(facts);
  }

  /** Answer of `GET /v1/finder/tenders/details`; undefined when the slug is not listed that day. */
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

  /** Versions of a company on a day. One object serves all reads: what it says holds until the next one. */
  versionsOf(index: number, day: number): Versions {
    return readVersions(this.ctx, index, foundedOn(this.ctx, index), this.ctx.start + day, this.#versions);
  }
}

/** A market with the given options; throws a RangeError that names a wrong option. */
export function createWorld(options: WorldOptions): World {
  return new World(options);
}
