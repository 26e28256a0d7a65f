/**
 * Words used here. *Total*: how many companies the API says a search has. *Cap*: how many of them it lets us see
 * (10 pages, reference v2 "Limits"). *Segment* (node): one search, i.e. one set of filters. *Leaf*: a segment at or
 * below the cap. *Axis*: a dimension laid out as integer positions 0…n (days, years, numbers, listed values).
 * *Window*: a run of neighbouring positions of an axis; narrowing a segment to one makes a child segment.
 */

/** A filter key whose values are a known list. The planner may send several of them in one search (they mean "or"). */
export interface CategoricalDimension {
  kind: 'categorical';
  key: string;
  /** Values as the API wants them, e.g. status ids. */
  values: readonly unknown[];
  /** True when a company can hold several of the values (activity types, industries). Default false. */
  overlapping?: boolean;
  /** `array` (default): sent as `[v1, v2]`. `value`: one at a time, as it is. `{list: 'x'}`: sent as `{x: [v1, v2]}`. */
  form?: 'array' | 'value' | { list: string };
}

/** A filter key that takes `{gte, lte}`, both inclusive. */
export interface RangeDimension {
  kind: 'range';
  key: string;
  /** `date`: days if the API filters by day, else years (found out by asking). `decimal`: two places. */
  type: 'date' | 'integer' | 'decimal';
  /** Where most values lie; what lies outside is found too. Numbers, or YYYY-MM-DD. Dates default to the horizon. */
  min?: number | string;
  max?: number | string;
  /** Further properties of the range object, e.g. `{currency: 'EUR'}`. */
  extra?: Record<string, unknown>;
  /** A filter value said to select the companies that have none. Tried once, believed only if the count fits. */
  nullValue?: unknown;
}

export type Dimension = CategoricalDimension | RangeDimension;

export interface PlanInput {
  market: string;
  /** The market's own filters, sent verbatim with every search. */
  filters: Record<string, unknown>;
  /**
   * The same filters in the words of version 1 (see `toV1Filters`), whose search states no page cap (reference v1,
   * "Endpoints"). Believed only if it counts what version 2 counts. Null or left out: not asked.
   */
  v1Filters?: Record<string, unknown> | null;
  /** What a segment above the cap may be split by, in order of preference. */
  dimensions: readonly Dimension[];
  /** Page size to ask for; the size obtained is what counts. Ask high (1000) when unsure. */
  perPage: number;
  /** Days between which most incorporation dates lie (inclusive). */
  horizon: { from: string; to: string };
  /**
   * Requests that a company may cost which the first split of its segment lost (it has no value there). Default 3; 0: these
   * companies are named at once. Each segment may spend a few dozen requests more.
   */
  requestsPerCompany?: number;
  /**
   * Nights over which the search for companies without a date is spread, where it costs a second search of everybody.
   * Default 1: all of it each time.
   */
  remainderNights?: number;
  /** What is known of this market from earlier nights. It aims the searches; what is claimed is always asked. */
  known?: KnownMarket;
}

/** A market as the warehouse knew it: by range dimension, how its companies spread. */
export interface KnownMarket {
  distributions: Readonly<Record<string, Distribution>>;
  /** What an earlier run found out about the API; believed as long as a probe of each agrees. */
  calibration?: Calibration | null;
  /** Whose turn it is tonight; null or left out: the market is searched whole. */
  rotation?: Rotation | null;
}

/**
 * Where companies without a date are searched for part by part, night by night: tonight's part, and the members without
 * a date that the nights before found.
 */
export interface Rotation {
  /** What the parts were made of, as an earlier night said (`Calibration.turns`). */
  key: string;
  /** Tonight's part, from 0, of so many. */
  part: number;
  of: number;
  carried: CarriedMembers;
}

/** Ids of members by the night (YYYY-MM-DD) that found them last; never part of what a night counts as found. */
export type CarriedMembers = Readonly<Record<string, readonly string[]>>;

/** Companies by value, ascending (days as YYYY-MM-DD), and how many have none. */
export interface Distribution {
  values: readonly (readonly [value: number | string, companies: number])[];
  without: number;
}

/** What asking found out, kept from night to night: small, and plain JSON. */
export interface Calibration {
  /** Sent as `per_page`, and the rows that came back for it. */
  perPage: number;
  size: number;
  pages: number;
  /** The number where totals end; null or left out: none is known. */
  totalsCap?: number | null;
  /** What `gte` and `lte` mean; left out: both inclusive. */
  bounds?: Bounds;
  /** Why version 1 is closed to this key, or ends at some page; not asked again until all is found out anew. */
  v1Refusal?: string | null;
  /** Parts of the market that were searched whole in this run, where turns can be taken. */
  turns?: { key: string; searched: readonly number[] } | null;
  /** By key of the dimension, as far as they were needed. */
  dimensions: Record<string, DimensionCalibration>;
}

/** What is known of a dimension, or why it cannot be used, in words. */
export type DimensionCalibration =
  | { unusable: string }
  | {
      share: number;
      complete: boolean;
      overlapping: boolean;
      windows: boolean;
      /** Listed values it was found out with; 0 for a range. */
      values: number;
      format?: DateFormat | undefined;
      nullValue?: unknown;
      /** Windows of positions, ascending and without gaps, with the companies they held. */
      counts: [from: number, to: number, companies: number][];
    };

/** How a date range is said to the API. Which one it understands is found out by asking. */
export type DateFormat = 'day' | 'year-as-dates' | 'year' | 'year-as-text';

/** Whether values that equal a bound are in: both (as `gte` and `lte` say), the lower one only, or neither. */
export type Bounds = 'inclusive' | 'half-open' | 'exclusive';

/**
 * calibration: asked to learn how the API behaves. guess: the same, beyond what the reference says, so that any answer
 * may come, a fault too, and none is needed. segment: page 1 of a segment. page: a further page of a leaf. again: a
 * repetition, to tell drift from shortfall. final: the market's total once more, at the end.
 */
export type Purpose = 'calibration' | 'guess' | 'segment' | 'page' | 'again' | 'final';

/** Which search: `POST /v2/prospecting` or `POST /v1/finder/companies`. Both take `{page, per_page, filters}`. */
export type Route = 'v2' | 'v1';

/** One search to make. */
export interface PlanRequest {
  route: Route;
  /** Canonical request; a repetition on purpose ends in `#2` or `#final`. Stable from run to run. */
  key: string;
  segment: string;
  filters: Record<string, unknown>;
  page: number;
  per_page: number;
  purpose: Purpose;
}

/**
 * What a page of version 2 said: the envelope's total and total_pages, and its companies in their order, each by its id or,
 * where the warehouse cannot hold that, by a key that `isUsable` refuses (src/core/company-id.ts).
 */
export interface PageAnswer {
  total: number;
  totalPages: number;
  ids: readonly string[];
}

/** The API calls the request invalid (reference v2, InvalidRequest); the text names the key. */
export interface RefusedAnswer {
  refused: string;
}

/** What a page of version 1 said: it counts pages, not companies. */
export interface ListingAnswer {
  pages: number;
  ids: readonly string[];
}

/** Answer to a search of version 2. */
export type SearchAnswer = PageAnswer | RefusedAnswer;
export type PlanAnswer = SearchAnswer | ListingAnswer;

/** True for an answer that is a refusal. */
export function isRefused(answer: PlanAnswer): answer is RefusedAnswer {
  return 'refused' in answer;
}

/** Positions `from` to `to` of an axis, both included. */
export interface Window {
  from: number;
  to: number;
}
