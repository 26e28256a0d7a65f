import type { StubCompany } from './companies.js';
import type { StubOptions } from './options.js';
import type { Permission } from './permissions.js';
import type { StubTender } from './tenders.js';

/** How a missing permission is said; the reference shows one shape, of version 1 alone. */
export type PermissionShape = 'detail' | 'access' | 'code' | 'error_code';

export type Guard = 'limit' | 'limits.daily';

/** A change of a watched company. */
export interface StubEvent {
  companyId: string;
  /** Dotted name. */
  field: string;
  /** ISO instant, whole seconds. */
  at: string;
  old: string | null;
  new: string | null;
  /** As the list tells it, with emphasis markup. */
  message: string;
  /** False: only delivered, the list does not have it. */
  listed: boolean;
}

/** What a test orders for requests whose path begins with `route`, until it takes the fault away. */
export interface StubFault {
  route: string;
  /** This many matching requests pass first. */
  skip?: number;
  /** Number of requests it meets at most. */
  times?: number;
  /** An answer in place of the usual one. */
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** LimitError in place of the usual answer, with one of the statuses that the stub has for it. */
  limit?: { guard: Guard; access?: object; message?: string };
  /** Milliseconds before the answer. */
  latency?: number;
  /** Added to the total of a search. */
  totalsBy?: number;
  /** Matching requests so far, and those it met. */
  seen: number;
  met: number;
}

/** What the stub knows and what an operator of it may change while it runs. */
export interface StubState {
  readonly options: StubOptions;
  /** Days since the stub was started, as tests move it. */
  day: number;
  /** Companies that searches list today. */
  companies: StubCompany[];
  byId: Map<string, StubCompany>;
  /** Companies that left, as they were the day before. */
  departed: StubCompany[];
  readonly tenders: StubTender[];
  readonly events: StubEvent[];
  /** Watched companies by canonical id: field names as they were sent. */
  readonly watches: Map<string, Set<string>>;
  callback: string | null;
  readonly secret: string;
  /** Answers so far. */
  turn: number;
  /** `METHOD /path` of each request, in order. */
  readonly requests: string[];
  /** Until this instant (`Date.now()`) data calls answer `limit`. */
  limitedUntil: number;
  /** The daily metric; a total of 0 is no limit. */
  readonly daily: { used: number; total: number };
  /** Paths that begin so lack the permission. */
  readonly forbidden: { prefix: string; shape: PermissionShape }[];
  /** What the key may do; null: everything. */
  allowed: ReadonlySet<Permission> | null;
  /** Answers in place of the usual ones, the first that fits. */
  readonly faults: StubFault[];
  /** Answers with the daily limit so far. */
  dailyLimitAnswers: number;
  /** Searches for which this holds always fail. */
  broken: (filters: Record<string, unknown>, page: number) => boolean;
}

/** A request, taken apart. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}
