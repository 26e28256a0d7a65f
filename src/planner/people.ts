/*
 * Searches the people of one company (reference v2, "Employees"). A search shows ten pages at most. A company with more
 * people is searched again by seniority, then by department, then by both. Pure: the caller sends the questions.
 */

/** Last page of a search (reference v2, "Limits"). */
const LAST_PAGE = 10;

/** Filters that split a search for people. */
export interface PeopleFilters {
  seniority?: number;
  department?: number;
}

/** A filter with the values by which it splits a search, in the order in which they are tried. */
export interface PeopleDimension {
  key: keyof PeopleFilters;
  values: readonly number[];
}

/** One page of a search for people of the company. */
export interface PeopleQuestion {
  filters: PeopleFilters;
  /** From 1 to 10. */
  page: number;
  /** Names the question. Two questions of one search never have the same label. */
  label: string;
}

/** An answer of the API. Null: the API rejects the question. */
export type PeopleAnswer = PeoplePage | null;

export interface PeoplePage {
  /** People and pages that the API reports for the filters. */
  total: number;
  pages: number;
  /** Items on the page, usable or not. */
  rows: number;
  /** Ids of the company's people on the page. */
  ids: readonly string[];
  /** Items that name another company. */
  foreign: number;
}

/** A search that did not show all people whom the API reports for it. */
export interface PeopleGap {
  filters: PeopleFilters;
  reported: number;
  found: number;
}

/** Result of a search for all people of a company. */
export interface PeopleReach {
  /** Latest total that the API reported for the company. */
  reported: number;
  found: number;
  /** True when the search lists people of other companies only: the API then ignores the company. */
  foreign: boolean;
  /** Searches that showed too few people, the company's own search last. Empty when all people were found. */
  gaps: PeopleGap[];
}

type Steps<T> = Generator<PeopleQuestion, T, PeopleAnswer>;

/**
 * Plans the search for all people of a company. Yields one question after another and takes the answers. Equal answers
 * lead to equal questions, so that an interrupted search can be repeated from the answers that were kept.
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

  /** Asks a question, unless it was asked before. */
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

  /** Reads all people of a search whose first page is known. Returns their ids. */
  *#read(filters: PeopleFilters, first: PeoplePage): Steps<Set<string>> {
    const own = new Set(first.ids);
    if (first.rows === 0 || first.total <= first.rows * LAST_PAGE) {
      const rows = yield* this.#readPages(filters, first, own);
      // Enough items, but too few people: the order changed between two pages, so read the pages again.
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

  /** Reads the pages from the second on, and the first when they are read again. Returns the number of items. */
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
   * Splits a search above the page cap by each filter that it does not have yet. After the first filter, reads the other
   * pages of the search: they may show people without a value.
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
   * Whether a filter cannot split a search: the API rejects it, or two of its values select as many people as no value.
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
    // Only a search without other filters proves that the API never uses the filter.
    if (isUseless && Object.keys(filters).length === 0) this.#useless.add(key);
    return isUseless;
  }
}

function labelOf({ seniority, department }: PeopleFilters, page: number, mark: string): string {
  const parts = [
    seniority === undefined ? '' : ` seniority-${seniority}`,
    department === undefined ? '' : ` department-${department}`,
  ];
  return `page-${page}${parts.join('')}${mark}`;
}
