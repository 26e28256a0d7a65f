import type { DriftKind } from './drift.js';
import type { KeyGrant } from './permissions.js';
import { DEFAULT_RULES, type FilterRules, type WorldOptions } from './world/index.js';

/** HTTP statuses of version 2 errors, which the reference does not state. */
export const DEFAULT_STATUSES = {
  /** TokenVerificationError. */
  token: 401,
  /** InvalidRequest. */
  invalid: 400,
  /** An id nobody has: `{detail}`. */
  notFound: 404,
  /** LimitError. */
  limit: 429,
  /** A key without the permission. */
  permission: 403,
  /** InternalError. */
  internal: 500,
  /** Autocomplete without an identifying field. */
  autocomplete: 400,
};
export type Statuses = typeof DEFAULT_STATUSES;

/** Everything that can be chosen when a sandbox is made; server.ts has a flag for each. */
export interface SandboxOptions extends Required<WorldOptions>, FilterRules {
  /** The API key that may do everything. */
  key: string;
  /** More keys, each with what it may do. */
  keys: readonly KeyGrant[];
  /** Day it starts on. */
  day: number;
  /** Largest page it gives. */
  maxPerPage: number;
  /** What becomes of a larger `per_page`: cut down to it, or refused as InvalidRequest. */
  pageSizePolicy: 'clamp' | 'refuse';
  /** Page size when none is asked for. */
  defaultPerPage: number;
  /** What becomes of a page beyond the tenth, where ten is the most: refused, taken for the tenth, or without rows. */
  pagePolicy: 'refuse' | 'clamp' | 'empty';
  /** What `total_pages` counts there: all pages, or those that can be asked for. */
  totalPages: 'all' | 'ten';
  /** Last page of version 1's searches; 0: there is none. */
  v1PageCap: number;
  /** Largest total a search tells, and counts pages from; 0: totals are exact. */
  countCap: number;
  /** Company filters that are taken and left aside. */
  ignoreFilter: readonly string[];
  /** Company filters that are InvalidRequest. */
  refuseFilter: readonly string[];
  /** Order of search results: by id, or another one in each answer. */
  order: 'id' | 'shuffled';
  /** Ids of companies and people in answers: number or text as the reference has it, or all alike. */
  ids: 'documented' | 'number' | 'text';
  /** How answers differ from the reference (`drift.ts`); none: not at all. */
  drift: readonly DriftKind[];
  /** Data calls a day; 0: no limit. */
  dailyLimit: number;
  /** Requests a second before LimitError `limit`; 0: no limit. */
  rateLimit: number;
  /** Milliseconds every answer waits. */
  latency: number;
  statuses: Statuses;
  /** What version 2 says to a key without the permission: `{detail}`, or the shape of LimitError. */
  permissionBody: 'detail' | 'access';
  /** Milliseconds a UBO enrichment job takes. */
  jobMilliseconds: number;
  /** Milliseconds between the tries of a webhook delivery. */
  webhookRetryMilliseconds: number;
  /** Seconds after which the market moves on by a day, again and again; 0: only when told. */
  dayEvery: number;
  /** File that keeps day, quota and watches over a restart; null: nothing is kept. */
  file: string | null;
  /** Milliseconds a client has to send its headers, and its whole request: the connection is then closed. */
  headersTimeout: number;
  requestTimeout: number;
  /** Whether `/_sandbox/…` answers to more than the machine itself. */
  openControls: boolean;
}

/** The defaults, with the key and the date that belong to them; anything given wins. */
export function sandboxOptions(given: Partial<SandboxOptions> = {}): SandboxOptions {
  const seed = given.seed ?? 1;
  return {
    companies: 10_000,
    tenders: 400,
    seed,
    clones: 0,
    eventTwins: 'none',
    date: new Date().toISOString().slice(0, 10),
    key: `sandbox-key-${seed}`,
    keys: [],
    day: 0,
    maxPerPage: 100,
    pageSizePolicy: 'clamp',
    defaultPerPage: 10,
    pagePolicy: 'refuse',
    totalPages: 'all',
    v1PageCap: 0,
    countCap: 0,
    ignoreFilter: [],
    refuseFilter: [],
    order: 'id',
    ids: 'documented',
    drift: [],
    ...DEFAULT_RULES,
    dailyLimit: 0,
    rateLimit: 0,
    latency: 0,
    statuses: DEFAULT_STATUSES,
    permissionBody: 'detail',
    jobMilliseconds: 2000,
    webhookRetryMilliseconds: 60_000,
    dayEvery: 0,
    file: null,
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    openControls: false,
    ...given,
  };
}
