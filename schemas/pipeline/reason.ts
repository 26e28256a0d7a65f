import { formatCount, plural } from '../format.js';

/*
 * Why something is missing in a night: a code with values for programs, and one sentence for people. Workflows use this
 * file, so it imports nothing but formats, and its results depend only on the arguments.
 */

/** Codes of reasons, each with its values. Counts are numbers of companies unless the name says otherwise. */
export interface ReasonValues {
  // ---- companies that a search did not list ----
  search_open: Nothing;
  no_total: Nothing;
  /** The market's total differs at the start and at the end of the search. */
  total_changed: { first: number; last: number };
  /** Companies were probably added, removed or moved while they were read. */
  moved: Nothing;
  /** The search sent far more requests than a market of its size needs. */
  contradiction: Nothing;
  /** The totals of the parts along one dimension cannot be true. */
  totals_contradict: { dimension: string };
  /** Searches above the page cap that no dimension splits. `most`: companies that one search shows. */
  page_cap: { most: number; total: number };
  pages_short: { listed: number; total: number };
  pages_long: { listed: number; total: number };
  /** The whole market lists more companies than its total. */
  total_wrong: { listed: number; total: number };
  page_empty: { total: number };
  filters_refused: { message: string };
  part_refused: { dimension: string; part: string };
  totals_capped: { most: number };
  /** The configuration switches the search for companies without a value off. */
  not_searched: Nothing;
  no_value: Nothing;
  no_value_uncounted: Nothing;
  /**
   * Each further company would cost more than `limit` requests, and more than the setting `remainder` allows. `requests` and `found`: what second passes cost and
   * found so far. `further`: what the cheapest further passes would cost, and how many companies they can find at most.
   */
  too_expensive: {
    limit: number;
    requests: number;
    found: number;
    further: { dimension: string; requests: number; companies: number }[];
  };
  unlisted: Nothing;
  /** `fault`: see `IdFault` in src/base/company-id.ts. */
  unusable_ids: { fault: string; companies: number; example: string };
  /** The warehouse holds another number of companies than the searches counted. */
  unloaded: { counted: number; loaded: number };
  // ---- records and runs ----
  records_failed: { stream: string; records: number };
  /** The run ended before it requested these records. */
  records_not_requested: { stream: string; records: number };
  listing_short: { listing: string };
  owner_jobs_failed: Nothing;
  refused: { stream: string; endpoint: string };
  held_back: Nothing;
  stopped: Nothing;
  failed: Nothing;
  cancelled: Nothing;
  terminated: Nothing;
  timed_out: Nothing;
  lost: Nothing;
}

type Nothing = Record<string, never>;

export type ReasonCode = keyof ReasonValues;

/** A reason as a program reads it. */
export type Reason<Code extends ReasonCode = ReasonCode> = {
  [C in Code]: { code: C; values: ReasonValues[C] };
}[Code];

/** A reason with its sentence, as the landing zone and the tables of the schema `ops` hold it. */
export type StatedReason = Reason & { reason: string };

/** Codes whose sentence only the part of the program knows that finds them. */
type Elsewhere =
  | 'unloaded'
  | 'records_not_requested'
  | 'listing_short'
  | 'refused'
  | 'held_back'
  | 'stopped'
  | 'failed'
  | 'cancelled'
  | 'terminated'
  | 'timed_out'
  | 'lost';
export type SpokenReason = Reason<Exclude<ReasonCode, Elsewhere>>;

type PlainCode = { [C in ReasonCode]: ReasonValues[C] extends Nothing ? C : never }[ReasonCode];

/** Creates a reason whose code needs no values. */
export function plainReason<Code extends PlainCode>(code: Code): { code: Code; values: Nothing } {
  return { code, values: {} };
}

/**
 * Adds the sentence to a reason.
 * @param missing number of missing companies; 0: unknown
 * @param searches number of searches to which the reason applies
 */
export function withSentence<Spoken extends SpokenReason>(
  reason: Spoken,
  missing = 0,
  searches = 1,
): Spoken & { reason: string } {
  return { ...reason, reason: sayReason(reason, missing, searches) };
}

/** Says a reason in one or two short sentences. Parameters as in `withSentence`. */
export function sayReason({ code, values }: SpokenReason, missing = 0, searches = 1): string {
  const unknown = missing === 0;
  const some = plural(missing, 'company', 'companies');
  const one = missing === 1;
  const here = searches === 1 ? 'this search' : `${formatCount(searches)} searches`;
  const all = (total: number): string => plural(total, 'company', 'companies');
  switch (code) {
    case 'search_open':
      return 'The search has not ended.';
    case 'no_total':
      return 'The API did not say how many companies the market has.';
    case 'total_changed':
      return `The total of the market changed during the run, from ${formatCount(values.first)} to ${formatCount(values.last)}.`;
    case 'moved':
      return unknown
        ? 'Companies may be missing: some were probably added, removed or moved during the run.'
        : `${some} that the API counts ${one ? 'was' : 'were'} not listed. ${one ? 'It was' : 'They were'} probably added, removed or moved during the run.`;
    case 'contradiction':
      return 'The search stopped early, because the answers of the API contradict each other.';
    case 'totals_contradict':
      return `The search stopped early, because the totals along ${values.dimension} contradict each other.`;
    case 'page_cap':
      return `${searches === 1 ? 'A search' : `${formatCount(searches)} searches`} with ${all(values.total)} cannot be split further. A search shows at most ${formatCount(values.most)}, so ${unknown ? 'some' : formatCount(missing)} of them cannot be listed.`;
    case 'pages_short':
      return `The API counts ${all(values.total)} in ${here}, but the pages list only ${formatCount(values.listed)}.`;
    case 'pages_long':
      return `The API counts ${all(values.total)} in ${here}, but the pages list ${formatCount(values.listed)}.`;
    case 'total_wrong':
      return `The API counts ${all(values.total)} in the market, but lists ${formatCount(values.listed)}.`;
    case 'page_empty':
      return `The API counts ${all(values.total)}, but shows none of them.`;
    case 'filters_refused':
      return `The API refused the filters of the market: ${values.message}`;
    case 'part_refused':
      return `The API refused a part of the search: ${values.dimension} ${values.part}.`;
    case 'totals_capped':
      return `The API counts at most ${all(values.most)} in a search. So it is unknown how many are missing.`;
    case 'not_searched':
      return 'Companies without a value in a property of the split were not searched.';
    case 'no_value':
      return unknown
        ? 'Companies may be missing: some may have no value by which a search can select them.'
        : `${some} ${one ? 'has' : 'have'} no value by which a search can select ${one ? 'it' : 'them'}.`;
    case 'no_value_uncounted':
      return 'Companies without a value in a property of the split cannot be counted.';
    case 'too_expensive':
      return unknown
        ? `Companies may be missing: each would cost more than ${plural(values.limit, 'request')}, and \`remainder\` allows no more.`
        : `${some} ${one ? 'was' : 'were'} not found, because each would cost more than ${plural(values.limit, 'request')}, and \`remainder\` allows no more.`;
    case 'unlisted':
      return unknown
        ? 'The search is not proven to be complete, so companies may be missing.'
        : `The API counts ${all(missing)} in ${here} that the run could not list.`;
    case 'unusable_ids':
      return `The API lists ${all(values.companies)} ${ID_FAULTS[values.fault] ?? 'with unusable ids'}, such as ${values.example}; \`tidemark rejects\` lists ${values.companies === 1 ? 'it' : 'them'}.`;
    case 'records_failed':
      return `${recordsOf(values)} could not be fetched; \`tidemark rejects\` lists ${values.records === 1 ? 'it' : 'them'}.`;
    case 'owner_jobs_failed':
      return 'Some jobs about owners ended without a result; `tidemark rejects` lists them.';
  }
}

const ID_FAULTS: Partial<Record<string, string>> = {
  no_id: 'without an id',
  unusable_id: 'with ids that the warehouse cannot store',
  duplicate_key: 'with a repeated key',
};

/** What one record of a stream is called, in singular and plural. */
const RECORDS: Partial<Record<string, readonly [string, string]>> = {
  companies: ['company record', 'company records'],
  companies_v1: ['company record of version 1', 'company records of version 1'],
  financials: ['report', 'reports'],
  financials_v1: ['report of version 1', 'reports of version 1'],
  financials_ticker: ['report by ticker', 'reports by ticker'],
  executives: ['list of executives', 'lists of executives'],
  employees: ['list of employees', 'lists of employees'],
  employee_details: ['record of an employee', 'records of employees'],
  ownership: ['answer about owners', 'answers about owners'],
  ownership_jobs: ['job about owners', 'jobs about owners'],
  tender_details: ['tender', 'tenders'],
  watch_events: ['list of watch events', 'lists of watch events'],
  matches: ['question', 'questions'],
  enrichments: ['question', 'questions'],
  payee_checks: ['payee check', 'payee checks'],
  payee_reports: ['payee report', 'payee reports'],
};

function recordsOf({ stream, records }: { stream: string; records: number }): string {
  const [one, many] = RECORDS[stream] ?? [`record of ${stream}`, `records of ${stream}`];
  return plural(records, one, many);
}

/** A reason for the whole run, with the number of searches and of missing companies. */
export type Cause = StatedReason & { missing: number; searches: number };

/**
 * Joins the reasons of single searches: one cause for each code, the largest first. Adds up the counts of searches with
 * the same code; of all other values, takes those of the search that misses most.
 */
export function joinReasons(gaps: readonly (SpokenReason & { missing: number })[]): Cause[] {
  const joined = new Map<string, { largest: SpokenReason & { missing: number }; all: (typeof gaps)[number][] }>();
  for (const gap of gaps) {
    const known = joined.get(gap.code);
    if (known === undefined) joined.set(gap.code, { largest: gap, all: [gap] });
    else {
      known.all.push(gap);
      if (gap.missing > known.largest.missing) known.largest = gap;
    }
  }
  return [...joined.values()]
    .map(({ largest, all }): Cause => {
      const sum = (name: string): number =>
        all.reduce((total, { values }) => total + Number(Reflect.get(values, name)), 0);
      const values = { ...largest.values };
      for (const name of ['listed', 'total', 'companies']) {
        if (name in values) Object.assign(values, { [name]: sum(name) });
      }
      const missing = all.reduce((total, gap) => total + gap.missing, 0);
      const reason = { code: largest.code, values } as SpokenReason;
      return { ...withSentence(reason, missing, all.length), missing, searches: all.length };
    })
    .toSorted((a, b) => b.missing - a.missing || (a.code < b.code ? -1 : 1));
}
