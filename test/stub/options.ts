/**
 * Notation of company ids. `plain` alternates numbers and text, `padded` alternates 7 and "0007", `large` is above
 * 2^53. `unstorable` ids do not fit into BIGINT: c-0001, or numbers above 2^63.
 */
export type IdForm = 'plain' | 'padded' | 'large' | 'unstorable';

/**
 * What `total_companies` says: the truth, more or fewer than the pages list, another number in each answer (`moving`), or
 * a number of 400 digits (`huge`).
 */
export type Totals = 'true' | 'larger' | 'smaller' | 'moving' | 'huge';

/** Choices that the reference leaves to the API. */
export interface StubOptions {
  companies: number;
  /** Number of last companies that all searches find together, whatever the filters. */
  clones: number;
  tenders: number;
  ids: IdForm;
  /** Rows per page: by default, and at most. Above the maximum a request is refused or lowered to it. */
  page: { standard: number; most: number; above: 'refused' | 'clamped' };
  /** Statuses of version 2 errors: various 4xx, or 200 with an error body. */
  errors: 'mixed' | 'ok';
  totals: Totals;
  /** Whether the upper bound of an incorporation range, always a year, is included. */
  incorporation: 'inclusive' | 'exclusive';
  /** Whether connections stay open or end after each answer. */
  connections: 'kept' | 'closed';
  /** Answers every 37th request first with a proxy's page. */
  proxyPages: boolean;
  /** Milliseconds before each answer. */
  latency: number;
}

export const DEFAULTS: StubOptions = {
  companies: 120,
  clones: 0,
  tenders: 0,
  ids: 'plain',
  page: { standard: 25, most: 40, above: 'clamped' },
  errors: 'mixed',
  totals: 'true',
  incorporation: 'inclusive',
  connections: 'kept',
  proxyPages: false,
  latency: 0,
};
