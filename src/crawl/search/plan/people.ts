/*
 * Plans the search for all people of one company (reference v2, "Employees"). A search shows ten pages at most. So for
 * a company with more people, it also searches by seniority, then by department, then by both. These functions send no
 * requests: the caller does.
 */

/** Last page of a search (reference v2, "Limits"). */
const LAST_PAGE = 10;

/** Filters that split a search for people. */
export interface PeopleFilters {
  seniority?: number;
  department?: number;
}

/** A filter that can split a search, with its values in the order in which to try them. */
export interface PeopleDimension {
  key: keyof PeopleFilters;
  values: readonly number[];
}

/** A request for one page of a search for people. */
export interface PeopleQuestion {
  filters: PeopleFilters;
  /** From 1 to 10. */
  page: number;
  /** Name of the request, unique in the search. */
  label: string;
}

/** An answer of the API; null if the API rejects the request. */
export type PeopleAnswer = PeoplePage | null;

export interface PeoplePage {
  /** Number of people and of pages that the API reports for the filters. */
  total: number;
  pages: number;
  /** Number of items on the page, including items without a usable id. */
  rows: number;
  /** Ids of the company's people on the page. */
  ids: readonly string[];
  /** Number of items that name another company. */
  foreign: number;
}

/** A search that showed fewer people than the API reports for it. */
export interface PeopleGap {
  filters: PeopleFilters;
  reported: number;
  found: number;
}

/** Result of a search for all people of a company. */
export interface PeopleReach {
  /** The total that the API last reported for the company. */
  reported: number;
  found: number;
  /** Whether the search lists only people of other companies. The API then ignores the filter on the company. */
  foreign: boolean;
  /** The searches that showed too few people; the search without filters comes last. Empty if all people were found. */
  gaps: PeopleGap[];
}

type Steps<T> = Generator<PeopleQuestion, T, PeopleAnswer>;

/**
 * Plans the search for all people of a company. Yields one request after another and receives its answer. The same
 * answers lead to the same requests. So an interrupted search can be repeated with the answers that were kept.
 */
export function searchPeople(dimensions: readonly PeopleDimension[]): Steps<PeopleReach> {
  return new PeopleSearch(dimensions).run();
}

class PeopleSearch {
  readonly #dimensions: readonly PeopleDimension[];
  readonly #answers = new Map<string, PeopleAnswer>();
  readonly #found = new Set<string>();
  readonly #gaps: PeopleGap[] = [];
  /** Filters that the API rejects or ignores. */
  readonly #useless = new Set<keyof PeopleFilters>();
  #reported = 0;

  constructor(dimensions: readonly PeopleDimension[]) {
    this.#dimensions = dimensions;
  }

  *run(): Steps<PeopleReach> {
    const first = yield* this.#ask({}, 1);
    const foreign = first !== null && first.ids.length === 0 && first.foreign > 0;
    if (first !== null && !foreign) {
      yield* this.#read({}, first);
      // The total may have changed since the first page.
      if (!this.#isDone && this.#answers.size > 1) yield* this.#ask({}, 1, ' again');
    }
    const [reported, found] = [this.#reported, this.#found.size];
    const gaps = this.#isDone ? [] : [...this.#gaps, { filters: {}, reported, found }];
    return { reported, found, foreign, gaps };
  }

  get #isDone(): boolean {
    return this.#found.size >= this.#reported;
  }

  /** Returns the answer for a page. Yields the request only if it was not made before. */
  *#ask(filters: PeopleFilters, page: number, mark = ''): Steps<PeopleAnswer> {
    const label = labelOf(filters, page, mark);
    const known = this.#answers.get(label);
    if (known !== undefined) return known;
    const answer = yield { filters, page, label };
    this.#answers.set(label, answer);
    if (answer === null) return null;
    if (Object.keys(filters).length === 0) this.#reported = answer.total;
    for (const id of answer.ids) this.#found.add(id);
    return answer;
  }

  /** Reads all people of a search whose page 1 is known. Returns their ids. */
  *#read(filters: PeopleFilters, first: PeoplePage): Steps<Set<string>> {
    const own = new Set(first.ids);
    if (first.rows === 0 || first.total <= first.rows * LAST_PAGE) {
      const rows = yield* this.#readPages(filters, first, own);
      // The pages have enough items but too few different people. So the order changed between two pages: read them
      // again.
      if (own.size < first.total && rows >= first.total && rows > first.rows)
        yield* this.#readPages(filters, first, own, ' again');
    } else {
      yield* this.#split(filters, first, own);
    }
    const isPart = Object.keys(filters).length > 0;
    if (isPart && own.size < first.total && !this.#isDone)
      this.#gaps.push({ filters, reported: first.total, found: own.size });
    return own;
  }

  /**
   * Reads the pages from page 2 on. With `mark`, reads all pages again, including page 1. Returns the number of items.
   */
  *#readPages(filters: PeopleFilters, first: PeoplePage, own: Set<string>, mark = ''): Steps<number> {
    let rows = mark === '' ? first.rows : 0;
    const last = Math.min(LAST_PAGE, Math.max(first.pages, Math.ceil(first.total / Math.max(1, first.rows))));
    for (let page = mark === '' ? 2 : 1; page <= last && own.size < first.total && !this.#isDone; page++) {
      const answer = yield* this.#ask(filters, page, mark);
      if (answer === null || answer.rows === 0) break;
      rows += answer.rows;
      for (const id of answer.ids) own.add(id);
    }
    return rows;
  }

  /**
   * Splits a search above the page cap by each filter that it does not have yet. After the split by the first filter,
   * also reads the search's other pages, because they may show people without a value.
   */
  *#split(filters: PeopleFilters, first: PeoplePage, own: Set<string>): Steps<void> {
    let pagesAreRead = false;
    for (const dimension of this.#dimensions) {
      if (dimension.key in filters) continue;
      yield* this.#splitBy(dimension, filters, first, own);
      if (!pagesAreRead) yield* this.#readPages(filters, first, own);
      pagesAreRead = true;
    }
    if (!pagesAreRead) yield* this.#readPages(filters, first, own);
  }

  *#splitBy(
    { key, values }: PeopleDimension,
    filters: PeopleFilters,
    first: PeoplePage,
    own: Set<string>,
  ): Steps<void> {
    if (yield* this.#isUseless(key, values, filters, first)) return;
    for (const value of values) {
      if (own.size >= first.total || this.#isDone || this.#useless.has(key)) return;
      const part = { ...filters, [key]: value };
      const answer = yield* this.#ask(part, 1);
      if (answer === null) continue;
      for (const id of yield* this.#read(part, answer)) own.add(id);
    }
  }

  /**
   * Returns whether a filter cannot split a search. This is so in two cases: the API rejects the filter, or each of two
   * values selects as many people as the search without the filter.
   */
  *#isUseless(
    key: keyof PeopleFilters,
    values: readonly number[],
    filters: PeopleFilters,
    whole: PeoplePage,
  ): Steps<boolean> {
    if (this.#useless.has(key) || whole.total === 0) return true;
    const totals: (number | undefined)[] = [];
    for (const value of values.slice(0, 2)) {
      const answer = yield* this.#ask({ ...filters, [key]: value }, 1);
      totals.push(answer?.total);
    }
    const isUseless = totals.every((total) => total === undefined || total >= whole.total);
    // Only a search without other filters proves that the API always ignores this filter.
    if (isUseless && Object.keys(filters).length === 0) this.#useless.add(key);
    return isUseless;
  }
}

function labelOf({ seniority, department }: PeopleFilters, page: number, mark: string): string {
  const parts = [
    seniority === undefined ? '' : ` seniority-${seniority}`,
    department === undefined ? '' : ` department-${department}`,
  ];
  return `${page}${parts.join('')}${mark}`;
}
