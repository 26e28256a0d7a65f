import type { DriftKind } from './faults/drift.js';
import type { KeyGrant } from './http/permissions.js';
import type { FilterRules, WorldOptions } from './world/index.js';

/** HTTP statuses of version 2 errors. The reference does not state them. */
export const DEFAULT_STATUSES = {
  /** TokenVerificationError. */
  token: 401,
  /** InvalidRequest. */
  invalid: 400,
  /** Unknown id; the body is `{detail}`. */
  notFound: 404,
  /** LimitError. */
  limit: 429,
  /** An API key without the permission. */
  permission: 403,
  /** InternalError. */
  internal: 500,
  /** Autocomplete without an identifying field. */
  autocomplete: 400,
};
export type Statuses = typeof DEFAULT_STATUSES;

/** All options of a sandbox. switches.ts has a flag and a default for each. */
export interface SandboxOptions extends Required<WorldOptions>, FilterRules {
  /** The API key with all permissions. */
  key: string;
  /** Further API keys, each with its permissions. */
  keys: readonly KeyGrant[];
  /** Day of the market at the start. */
  day: number;
  /** Largest page size. */
  maxPerPage: number;
  /** Largest page size of the employee search in version 2. 0: `maxPerPage`. */
  employeesPerPage: number;
  /** What to do with a `per_page` above `maxPerPage`: reduce it to `maxPerPage`, or refuse it as InvalidRequest. */
  pageSizePolicy: 'clamp' | 'refuse';
  /** Page size of a request without `per_page`. */
  defaultPerPage: number;
  /**
   * What to do with a page above 10 in searches with the page cap: refuse it, answer with page 10, or answer without
   * rows.
   */
  pagePolicy: 'refuse' | 'clamp' | 'empty';
  /** What `total_pages` counts in searches with the page cap: all pages, or at most ten. */
  totalPages: 'all' | 'ten';
  /** Last page of searches in version 1. 0: no last page. */
  v1PageCap: number;
  /** Largest total that a search reports; `total_pages` is computed from it. 0: totals are exact. */
  countCap: number;
  /** Company filters that a search accepts and ignores. */
  ignoreFilter: readonly string[];
  /** Company filters that a search refuses as InvalidRequest. */
  refuseFilter: readonly string[];
  /** Order of search results: by id, or a different order in each answer. */
  order: 'id' | 'shuffled';
  /** Ids of companies and people in answers: number or text as in the reference, or all of one type. */
  ids: 'documented' | 'number' | 'text';
  /** Kinds of schema drift in answers (`drift.ts`). An empty list: no drift. */
  drift: readonly DriftKind[];
  /** Data calls allowed per day. 0: no limit. */
  dailyLimit: number;
  /** Data calls allowed per second; the next call gets LimitError `limit`. 0: no limit. */
  rateLimit: number;
  /** Milliseconds before each answer. */
  latency: number;
  statuses: Statuses;
  /** Body that version 2 sends to an API key without the permission: `{detail}`, or the shape of LimitError. */
  permissionBody: 'detail' | 'access';
  /**
   * Fields of which autocomplete demands at least one. `five`: the five fields that the error of the reference names.
   * `any`: any field except `country_code`. The reference states both rules.
   */
  autocompleteNeeds: 'five' | 'any';
  /** Milliseconds a UBO enrichment job takes. */
  jobMilliseconds: number;
  /** Milliseconds between the attempts of a webhook delivery. */
  webhookRetryMilliseconds: number;
  /** Seconds per day of the market; a timer moves it to the next day. 0: the day changes only on request. */
  dayEvery: number;
  /** File that keeps day, quota and watches over a restart. null: no file. */
  file: string | null;
  /** Milliseconds in which a client must send its headers. Then the sandbox closes the connection. */
  headersTimeout: number;
  /** Milliseconds in which a client must send its whole request. Then the sandbox closes the connection. */
  requestTimeout: number;
  /** Whether `/_sandbox/…` also answers to other machines. */
  openControls: boolean;
}
