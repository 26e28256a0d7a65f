/**
 * Terms:
 * - total: the number of companies that match a search, as the API states it.
 * - cap: the number of companies one search can show (10 pages, reference v2, "Limits").
 * - segment: one search, that is, one set of filters. Segments form a tree; the root is the market.
 * - leaf: a segment at or below the cap, read page by page.
 * - dimension: a filter key along which a segment is split.
 * - axis: a dimension laid out as integer positions (days, years, numbers, listed values).
 * - window: neighbouring positions of an axis. Limiting a segment to a window makes a child segment.
 * - sweep: windows in ascending order along one axis, each aimed just under the cap.
 * - second pass: a further sweep of a segment, along another dimension, for companies without a value in the first.
 */

/** A filter key with a known list of values. One search may name several of them, which means "or". */
export interface CategoricalDimension {
  kind: 'categorical';
  key: string;
  /** Values as the API expects them, e.g. status ids. */
  values: readonly unknown[];
  /** True when a company can have several of the values (activity types, industries). Default false. */
  overlapping?: boolean;
  /**
   * How values are sent.
   * - `array` (default): `[v1, v2]`
   * - `value`: one value at a time, as it is
   * - `{list: 'x'}`: `{x: [v1, v2]}`
   */
  form?: 'array' | 'value' | { list: string };
}

/** A filter key that takes `{gte, lte}`, both inclusive unless calibration shows otherwise (`Bounds`). */
export interface RangeDimension {
  kind: 'range';
  key: string;
  /** `date`: days, or years if the API filters by year (calibrated). `decimal`: two decimal places. */
  type: 'date' | 'integer' | 'decimal';
  /** Where most values lie: numbers or YYYY-MM-DD. Values outside are found too. Dates default to the horizon. */
  min?: number | string;
  max?: number | string;
  /** Further properties of the range object, e.g. `{currency: 'EUR'}`. */
  extra?: Record<string, unknown>;
  /** A filter value said to select companies without a value. Tried once; trusted only if the counts agree. */
  nullValue?: unknown;
}

export type Dimension = CategoricalDimension | RangeDimension;

/** What a plan needs to search one market. */
export interface PlanInput {
  market: string;
  /** The market's own filters, sent verbatim with every search. */
  filters: Record<string, unknown>;
  /**
   * The same filters for version 1 (see `toV1Filters`). Reference v1, "Endpoints", documents no page cap.
   * Trusted only if version 1 lists as many companies as version 2 counts. Null or left out: version 1 is not used.
   */
  v1Filters?: Record<string, unknown> | null;
  /** Dimensions by which a segment above the cap may be split; within each kind, in order of preference. */
  dimensions: readonly Dimension[];
  /** Page size to request; calibration finds the real one. Request a large size (1,000) when unsure. */
  perPage: number;
  /** Days between which most incorporation dates lie, both included. */
  horizon: { from: string; to: string };
  /**
   * Requests the planner may spend to find one company that a split lost because it has no value there.
   * Default 3. With 0, these companies are reported missing at once. Each segment may spend a few dozen requests more.
   */
  requestsPerCompany?: number;
  /**
   * Nights of the rotation for companies without a date. Default 1: every night searches them all.
   * Used only where finding them needs a second search of the whole market.
   */
  remainderNights?: number;
  /** What earlier nights learned about the market. Only aims the searches: every count claimed is requested again. */
  known?: KnownMarket;
}

/** A market as the warehouse knows it. */
export interface KnownMarket {
  /** How companies spread over each range dimension, by key. */
  distributions: Readonly<Record<string, Distribution>>;
  /** What an earlier run learned about the API. Its page size is tested again; the rest is reused. */
  calibration?: Calibration | null;
  /** Tonight's part of the rotation; null or left out: search the whole market. */
  rotation?: Rotation | null;
}

/** Tonight's part of the rotation, and the companies without a date that earlier nights found. */
export interface Rotation {
  /** Names the dimension, values and number of parts of the rotation (`Calibration.turns`). */
  key: string;
  /** Tonight's part, from 0, of `of` parts. */
  part: number;
  of: number;
  carried: CarriedMembers;
}

/** Ids of carried-over companies by the night (YYYY-MM-DD) that found them last. Never counted as found. */
export type CarriedMembers = Readonly<Record<string, readonly string[]>>;

/** Companies by value, ascending (days as YYYY-MM-DD), and `without`: the companies without a value. */
export interface Distribution {
  values: readonly (readonly [value: number | string, companies: number])[];
  without: number;
}

/** What calibration learned, kept from night to night as small, plain JSON. */
export interface Calibration {
  /** `per_page` to send, and the rows a full page then has. */
  perPage: number;
  size: number;
  pages: number;
  /** The number at which totals are capped; null or left out: no cap is known. */
  totalsCap?: number | null;
  /** Whether `gte` and `lte` include their own value; left out: both do. */
  bounds?: Bounds;
  /** Why version 1 cannot list the market; not tried again until the next full calibration. */
  v1Refusal?: string | null;
  /** Parts of the rotation that this run searched completely; null when the market has no rotation. */
  turns?: { key: string; searched: readonly number[] } | null;
  /** Facts by key of the dimension, as far as they were needed. */
  dimensions: Record<string, DimensionCalibration>;
}

/** Facts of a dimension, or the reason why it is unusable. */
export type DimensionCalibration =
  | { unusable: string }
  | {
      /** As in `AxisFacts`. */
      share: number;
      complete: boolean;
      overlapping: boolean;
      windows: boolean;
      /** Number of listed values at calibration; 0 for a range. */
      values: number;
      format?: DateFormat | undefined;
      nullValue?: unknown;
      /** Windows in ascending order without gaps, with their companies. */
      counts: [from: number, to: number, companies: number][];
    };

/** How dates are sent to the API; calibration finds the format the API understands. */
export type DateFormat = 'day' | 'year-as-dates' | 'year' | 'year-as-text';

/** Whether a range includes values equal to its bounds: both bounds, only the lower one, or neither. */
export type Bounds = 'inclusive' | 'half-open' | 'exclusive';

/**
 * Why a request is made.
 * - calibration: learns how the API behaves.
 * - guess: like calibration, but beyond the reference. Any answer may come, even an error, and none is needed.
 * - segment: page 1 of a segment.
 * - page: a further page of a leaf.
 * - again: a repetition, to tell companies that moved from companies never listed.
 * - final: the market's total once more, at the end.
 */
export type Purpose = 'calibration' | 'guess' | 'segment' | 'page' | 'again' | 'final';

/** The search used: `POST /v2/prospecting` or `POST /v1/finder/companies`. Both take `{page, per_page, filters}`. */
export type Route = 'v2' | 'v1';

/** One search to make. */
export interface PlanRequest {
  route: Route;
  /** Canonical request, stable across runs. A deliberate repetition ends in a mark such as `#2` or `#final`. */
  key: string;
  segment: string;
  filters: Record<string, unknown>;
  page: number;
  per_page: number;
  purpose: Purpose;
}

/**
 * A page of version 2: total and total_pages of the envelope, and the ids of its companies in order.
 * For an id the warehouse cannot hold, `ids` has a key that `isUsable` rejects (src/core/company-id.ts).
 */
export interface PageAnswer {
  total: number;
  totalPages: number;
  ids: readonly string[];
}

/** The API calls the request invalid (reference v2, InvalidRequest); the message names the wrong key. */
export interface RefusedAnswer {
  refused: string;
}

/** A page of version 1, which counts pages instead of companies. */
export interface ListingAnswer {
  pages: number;
  ids: readonly string[];
}

/** Answer to a search through version 2. */
export type SearchAnswer = PageAnswer | RefusedAnswer;
export type PlanAnswer = SearchAnswer | ListingAnswer;

/** Returns true when the answer is a refusal. */
export function isRefused(answer: PlanAnswer): answer is RefusedAnswer {
  return 'refused' in answer;
}

/** Positions `from` to `to` of an axis, both included. */
export interface Window {
  from: number;
  to: number;
}
