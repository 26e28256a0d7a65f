/**
 * Terms:
 * - total: the number of companies that match a search, as the API reports it.
 * - cap: the number of companies that one search can show (10 pages, reference v2, "Limits").
 * - segment: one search with one set of filters. Segments form a tree; the root is the market.
 * - leaf: a segment at or below the cap, read page by page.
 * - dimension: a filter key along which a segment is split.
 * - position: one day, year, number or listed value of a dimension, as an integer.
 * - split field: a dimension with numbered positions.
 * - window: a range of neighbouring positions. A segment that is limited to a window is a child segment.
 * - sweep: windows in ascending order along one dimension, each with a total just below the cap.
 * - spike: one position with more companies than the cap.
 * - second pass: one more sweep of a segment, along another dimension, for companies without a value in the first.
 */

/** A filter key whose values are known. A search for several of them means "or". */
export interface CategoricalDimension {
  kind: 'categorical';
  key: string;
  /** Values as the API expects them, such as status ids. */
  values: readonly unknown[];
  /** Whether a company can have several of the values, such as activity types or industries. Default false. */
  overlapping?: boolean;
  /** If set to `x`, values are sent as `{x: [v1, v2]}`, else as `[v1, v2]`. */
  list?: string;
}

/**
 * A filter key that takes `{gte, lte}`. The API includes both bounds, unless calibration finds something else
 * (`Bounds`).
 */
export interface RangeDimension {
  kind: 'range';
  key: string;
  /**
   * `date` means days, or years if calibration finds that the API filters by year. `decimal` means two decimal places.
   */
  type: 'date' | 'integer' | 'decimal';
  /**
   * Most values lie between these bounds (numbers or YYYY-MM-DD). The search also finds values outside. Default for
   * dates: `horizon`.
   */
  min?: number | string;
  max?: number | string;
  /**
   * A filter value that may select the companies without a value. The plan tries it once, and uses it only if the
   * totals add up.
   */
  nullValue?: unknown;
}

export type Dimension = CategoricalDimension | RangeDimension;

/** The input of a plan. A plan searches one market. */
export interface PlanInput {
  market: string;
  /** The market's own filters. Every search sends them; a split along one of them narrows it. */
  filters: Record<string, unknown>;
  /**
   * The market's filters, translated for version 1 (see `toV1Filters`). The reference documents no page cap for version
   * 1 ("Endpoints"). The plan uses version 1 only if it lists as many companies as version 2 counts. If null or left
   * out, the plan does not use version 1.
   */
  v1Filters?: Record<string, unknown> | null;
  /**
   * The dimensions along which a segment above the cap may be split. Of dimensions of the same kind, the preferred one
   * comes first.
   */
  dimensions: readonly Dimension[];
  /**
   * Page size to request. Calibration finds out how many rows the API returns. If the best size is unknown, request a
   * large one (1,000).
   */
  perPage: number;
  /** First and last day of the period in which most companies of the market were incorporated. */
  horizon: { from: string; to: string };
  /** Which share of the night's requests the search may spend on the remainder. Default: 5 % of the search's own. */
  remainder?: Remainder;
  /**
   * Facts about the market from earlier nights. They help to choose dimensions and the size of windows. Every total is
   * requested again.
   */
  known?: KnownMarket;
}

/**
 * The remainder are companies that are hard to find: no filter selects them, so second passes over whole segments look
 * for them.
 */
export interface Remainder {
  /**
   * Share of the night's requests, 0 to 1. Second passes that cost little for each company they find do not count. 0: no
   * second pass runs. 1: no second pass is too expensive.
   */
  share: number;
  /** Returns how many other requests the night sends if the market has `total` companies: those for records. */
  records: (total: number) => number;
  /** Number of requests that the night may send altogether; null if there is no limit. */
  limit: number | null;
}

/** What earlier nights found out about a market. */
export interface KnownMarket {
  /** How the companies are spread over each range dimension, by key. */
  distributions: Readonly<Record<string, Distribution>>;
  /** What an earlier run found out about the API. Only the page size is tested again. */
  calibration?: Calibration | null;
}

/**
 * Number of companies for each value, in ascending order (days as YYYY-MM-DD). `without` is the number of companies
 * without a value.
 */
export interface Distribution {
  values: readonly (readonly [value: number | string, companies: number])[];
  without: number;
}

/** The results of calibration. They are kept from night to night as JSON. */
export interface Calibration {
  /** Value of `per_page` to send (`perPage`), and number of rows on a full page (`size`). */
  perPage: number;
  size: number;
  pages: number;
  /** The number at which the API caps totals. Null or left out if no cap is known. */
  totalsCap?: number | null;
  /** Whether the API includes values equal to `gte` and `lte`. If left out, it includes both. */
  bounds?: Bounds;
  /** Why version 1 cannot list the market; null if it can. The next full calibration tries version 1 again. */
  v1Refusal?: string | null;
  /** What was found out about the dimensions that the plan needed, by key. */
  dimensions: Record<string, DimensionCalibration>;
}

/** What calibration found out about a dimension, or the reason why the dimension is unusable. */
export type DimensionCalibration =
  | { unusable: string }
  | {
      /** See `DimensionFacts`. */
      share: number;
      complete: boolean;
      overlapping: boolean;
      windows: boolean;
      /** Number of listed values when the dimension was calibrated; 0 for a range. */
      values: number;
      format?: DateFormat | undefined;
      nullValue?: unknown;
      /** Windows in ascending order and without gaps, each with its number of companies. */
      counts: [from: number, to: number, companies: number][];
    };

/** How to send dates to the API. Calibration finds out which format the API understands. */
export type DateFormat = 'day' | 'year-as-dates' | 'year' | 'year-as-text';

/**
 * Whether the API includes values equal to the bounds of a range: at both bounds, only at the lower bound, or at none.
 */
export type Bounds = 'inclusive' | 'half-open' | 'exclusive';

/**
 * Why the plan makes a request:
 * - calibration: to find out how the API behaves.
 * - guess: to test behaviour that the reference does not describe. The plan continues after any answer, even an error.
 * - segment: to get page 1 of a segment.
 * - page: to get a further page of a leaf.
 * - again: to repeat a request. The repetition shows whether missing companies moved or are never listed.
 * - final: to get the market's total once more, at the end.
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
   * Identifies the request. Equal requests have the same key in every run. If a request is repeated on purpose, its key
   * ends in a mark such as `#2` or `#final`.
   */
  key: string;
  segment: string;
  filters: Record<string, unknown>;
  page: number;
  per_page: number;
  purpose: Purpose;
}

/**
 * A page of version 2's search: its total, its total_pages, and the ids of its companies in order. If the warehouse
 * cannot hold an id, `ids` has a key in its place that `isUsable` rejects (src/base/company-id.ts).
 */
export interface PageAnswer {
  total: number;
  totalPages: number;
  ids: readonly string[];
}

/**
 * The search has no usable answer: the API rejects the request as invalid (reference v2, InvalidRequest), a further
 * page kept failing, or the total cannot be used. `refused` is the API's message, or says what was wrong.
 */
export interface RefusedAnswer {
  refused: string;
}

/** A page of version 1's search. Version 1 reports the number of pages instead of a total. */
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
