/**
 * How company ids look: `plain` numbers and texts by turns, `padded` 7 and "0007" by turns, `large` above 2^53, and `unstorable`,
 * which BIGINT cannot hold: c-0001, or numbers above 2^63.
 */
export type IdForm = 'plain' | 'padded' | 'large' | 'unstorable';

/** What `total_companies` says: the truth, or more or fewer than the pages list, or another number at each question. */
export type Totals = 'true' | 'larger' | 'smaller' | 'moving' | 'huge';

/** Choices that the reference leaves to the API. */
export interface StubOptions {
  companies: number;
  /** The last so many of them fit the same searches, whatever the filters. */
  clones: number;
  tenders: number;
  ids: IdForm;
  /** Rows of a page: without `per_page`, and at most; above it a request is refused or gets the most. */
  page: { standard: number; most: number; above: 'refused' | 'clamped' };
  /** Status of version 2 errors: a mixture of 4xx, or 200 with an error body. */
  errors: 'mixed' | 'ok';
  totals: Totals;
  /** The end of an incorporation range, always a year, counts or does not. */
  incorporation: 'inclusive' | 'exclusive';
  /** Connections stay open, or end after each answer. */
  connections: 'kept' | 'closed';
  /** Every 37th request is first answered with a page of a proxy. */
  proxyPages: boolean;
  /** Milliseconds that each answer waits. */
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
