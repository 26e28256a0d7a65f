import type { StubCompany } from './companies.js';
import type { StubOptions } from './options.js';
import type { Permission } from './permissions.js';
import type { StubTender } from './tenders.js';

/** Shape of a missing permission; the reference shows one, for version 1 only. */
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
  /** The list's message, with emphasis markup. */
  message: string;
  /** False if it is only delivered and not listed. */
  listed: boolean;
}

/** A fault that a test requests: it applies to requests whose path begins with `route`, until the test clears it. */
export interface StubFault {
  route: string;
  /** Number of matching requests that pass first. */
  skip?: number;
  /** Number of requests to which the fault applies; without it, to all. */
  times?: number;
  /** An answer instead of the usual one. */
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** A LimitError instead of the usual answer, with one of the stub's statuses for it. */
  limit?: { guard: Guard; access?: object; message?: string };
  /** Milliseconds before the answer. */
  latency?: number;
  /** Added to the total of a search. */
  totalsBy?: number;
  /** Number of matching requests so far (`seen`), and of those to which the fault was applied (`met`). */
  seen: number;
  met: number;
}

/** The stub's state, with settings that an operator may change while it runs. */
export interface StubState {
  readonly options: StubOptions;
  /** Days since the start, as advanced by tests. */
  day: number;
  /** Companies that searches list today. */
  companies: StubCompany[];
  byId: Map<string, StubCompany>;
  /** Companies that left, as of the day before. */
  departed: StubCompany[];
  readonly tenders: StubTender[];
  readonly events: StubEvent[];
  /** Watched companies by canonical id, with field names as sent. */
  readonly watches: Map<string, Set<string>>;
  callback: string | null;
  readonly secret: string;
  /** Number of answers so far. */
  turn: number;
  /** `METHOD /path` of each request, in order. */
  readonly requests: string[];
  /** Jobs about owners by id, and milliseconds by which their time is ahead of the clock. */
  readonly jobs: { ahead: number; readonly byId: Map<string, { company: string; at: number }> };
  /** Until this instant (`Date.now()`) data calls answer `limit`. */
  limitedUntil: number;
  /** The daily metric; a total of 0 is no limit. */
  readonly daily: { used: number; total: number };
  /** Path prefixes for which permission is missing. */
  readonly forbidden: { prefix: string; shape: PermissionShape }[];
  /** Permissions of the key; null means all. */
  allowed: ReadonlySet<Permission> | null;
  /** Answers instead of the usual ones; the first match applies. */
  readonly faults: StubFault[];
  /** Number of answers with the daily limit. */
  dailyLimitAnswers: number;
  /** Searches that always fail. */
  broken: (filters: Record<string, unknown>, page: number) => boolean;
}

/** A parsed request. */
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
