/**
 * Terms:
 * - total: the number of companies that match a search, as the API reports it.
 * - cap: the number of companies that one search can show (10 pages, reference v2, "Limits").
 * - segment: one search, that is, one set of filters. Segments form a tree; the root is the market.
 * - leaf: a segment at or below the cap, read page by page.
 * - dimension: a filter key along which a segment is split.
 * - position: one day, year, number or listed value of a dimension, as an integer. A split field is a dimension with
 *   positions.
 * - window: neighbouring positions. Limiting a segment to a window makes a child segment.
 * - sweep: windows in ascending order along one dimension, each sized just below the cap.
 * - spike: one position with more companies than the cap.
 * - second pass: one more sweep of a segment, along another dimension, for companies without a value in the first.
 */

/** A filter key with a known list of values. A search for several values means "or". */
export interface CategoricalDimension {
  kind: 'categorical';
  key: string;
  /** Values as the API expects them, such as status ids. */
  values: readonly unknown[];
  /** True when a company can have several of the values (activity types, industries). Default false. */
  overlapping?: boolean;
  /**
   * How values are sent.
   * - `array` (default): `[v1, v2]`
   * - `value`: one value at a time, without a list
   * - `{list: 'x'}`: `{x: [v1, v2]}`
   */
  form?: 'array' | 'value' | { list: string };
}

/** A filter key that takes `{gte, lte}`. Ranges include both bounds unless calibration shows otherwise (`Bounds`). */
export interface RangeDimension {
  kind: 'range';
  key: string;
  /** `date`: days, or years if calibration finds that the API filters by year. `decimal`: two decimal places. */
  type: 'date' | 'integer' | 'decimal';
  /**
   * Bounds between which most values lie: numbers or YYYY-MM-DD. The search also finds values outside. Default for
   * dates: `horizon`.
   */
  min?: number | string;
  max?: number | string;
  /** Further properties of the range object, such as `{currency: 'EUR'}`. */
  extra?: Record<string, unknown>;
  /** Filter value that may select companies without a value. Tried once, and used only if the totals add up. */
  nullValue?: unknown;
}

export type Dimension = CategoricalDimension | RangeDimension;

/** Input of a plan, which searches one market. */
export interface PlanInput {
  market: string;
  /** The market's own filters, sent verbatim with every search. */
  filters: Record<string, unknown>;
  /**
   * The market's filters for version 1 (see `toV1Filters`), whose reference documents no page cap ("Endpoints").
   * Version 1 is used only if it lists as many companies as version 2 counts. Null or left out: version 1 is not used.
   */
  v1Filters?: Record<string, unknown> | null;
  /**
   * Dimensions along which a segment above the cap may be split. Dimensions of the same kind are in order of
   * preference.
   */
  dimensions: readonly Dimension[];
  /** Page size to request. Calibration finds the size that the API returns. If unsure, request a large size (1,000). */
  perPage: number;
  /** First and last day of the period in which most companies were incorporated. */
  horizon: { from: string; to: string };
  /**
   * Requests that the planner may spend to find one company without a value in the dimension of a split. Default 3.
   * With 0, these companies are reported as missing without a search. Each segment may spend a few dozen requests more.
   */
  requestsPerCompany?: number;
  /**
   * Nights of the rotation for companies without a date. Default 1: every night searches for all of them. A longer
   * rotation is used only where finding these companies needs a second pass over the whole market.
   */
  remainderNights?: number;
  /** Facts about the market from earlier nights. They only help to size windows: every total is requested again. */
  known?: KnownMarket;
}

/** Facts about a market from the warehouse. */
export interface KnownMarket {
  /** How companies spread over each range dimension, by key. */
  distributions: Readonly<Record<string, Distribution>>;
  /** Facts that an earlier run learned about the API. Only the page size is tested again. */
  calibration?: Calibration | null;
  /** Tonight's part of the rotation; null or left out: search the whole market. */
  rotation?: Rotation | null;
}

/** Tonight's part of the rotation, and the companies without a value (date of incorporation) that earlier nights found. */
export interface Rotation {
  /** Identifies the dimension, the values and the number of parts of the rotation (`Calibration.turns`). */
  key: string;
  /** Number of tonight's part, from 0 to `of` - 1. */
  part: number;
  of: number;
  carried: CarriedMembers;
}

/**
 * Ids of carried-over companies by the last night (YYYY-MM-DD) that found them. Carried-over companies are never
 * counted as found.
 */
export type CarriedMembers = Readonly<Record<string, readonly string[]>>;

/** Number of companies by value, in ascending order (days as YYYY-MM-DD). `without`: the companies without a value. */
export interface Distribution {
  values: readonly (readonly [value: number | string, companies: number])[];
  without: number;
}

/** Results of calibration, kept from night to night as JSON. */
export interface Calibration {
  /** Value of `per_page` to send, and the rows that a full page then has. */
  perPage: number;
  size: number;
  pages: number;
  /** The number at which totals are capped; null or left out: no cap is known. */
  totalsCap?: number | null;
  /** Whether `gte` and `lte` include values equal to the bound. Left out: both do. */
  bounds?: Bounds;
  /** Why version 1 cannot list the market. The next full calibration tries version 1 again. */
  v1Refusal?: string | null;
  /** Parts of the rotation that this run searched completely; null when the market has no rotation. */
  turns?: { key: string; searched: readonly number[] } | null;
  /** Facts of the dimensions that were needed, by key. */
  dimensions: Record<string, DimensionCalibration>;
}

/** Facts of a dimension, or the reason why it is unusable. */
export type DimensionCalibration =
  | { unusable: string }
  | {
      /** See `DimensionFacts`. */
      share: number;
      complete: boolean;
      overlapping: boolean;
      windows: boolean;
      /** Number of listed values at calibration; 0 for a range. */
      values: number;
      format?: DateFormat | undefined;
      nullValue?: unknown;
      /** Windows in ascending order without gaps, with the number of companies in each. */
      counts: [from: number, to: number, companies: number][];
    };

/** How dates are sent to the API; calibration finds the format the API understands. */
export type DateFormat = 'day' | 'year-as-dates' | 'year' | 'year-as-text';

/** Whether a range includes values equal to its bounds: at both bounds, only at the lower bound, or at neither. */
export type Bounds = 'inclusive' | 'half-open' | 'exclusive';

/**
 * Why a request is made.
 * - calibration: learns how the API behaves.
 * - guess: like calibration, for behaviour that the reference does not describe. The plan continues after any answer,
 *   even an error.
 * - segment: page 1 of a segment.
 * - page: a further page of a leaf.
 * - again: a repetition, to separate companies that moved from companies that are never listed.
 * - final: the market's total once more, at the end.
 */
export type Purpose = 'calibration' | 'guess' | 'segment' | 'page' | 'again' | 'final';

/**
 * Version of the API's search: `POST /v2/prospecting` or `POST /v1/finder/companies`. Both take `{page, per_page,
 * filters}`.
 */
export type Route = 'v2' | 'v1';

export interface PlanRequest {
  route: Route;
  /**
   * Identifies the request. Equal requests have the same key in every run. The key of a deliberate repetition ends in a
   * mark such as `#2` or `#final`.
   */
  key: string;
  segment: string;
  filters: Record<string, unknown>;
  page: number;
  per_page: number;
  purpose: Purpose;
}

/**
 * A page of version 2: its total and total_pages, and the ids of its companies in order. If the warehouse cannot hold
 * an id, `ids` has a key that `isUsable` rejects (src/core/company-id.ts).
 */
export interface PageAnswer {
  total: number;
  totalPages: number;
  ids: readonly string[];
}

/** The API rejects the request as invalid (reference v2, InvalidRequest). The message names the wrong key. */
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

export function isRefused(answer: PlanAnswer): answer is RefusedAnswer {
  return 'refused' in answer;
}

/** Positions `from` to `to` of a dimension, both included. */
export interface Window {
  from: number;
  to: number;
}
