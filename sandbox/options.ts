import type { DriftKind } from './faults/drift.js';
import type { KeyGrant } from './http/permissions.js';
import type { FilterRules, WorldOptions } from './world/index.js';

/** HTTP statuses of version 2 errors. The reference does not state these statuses. */
export const DEFAULT_STATUSES = {
  /** Status of TokenVerificationError. */
  token: 401,
  /** Status of InvalidRequest. */
  invalid: 400,
  /** Status for an unknown id. The body is `{detail}`. */
  notFound: 404,
  /** Status of LimitError. */
  limit: 429,
  /** Status for an API key without the permission. */
  permission: 403,
  /** Status of InternalError. */
  internal: 500,
  /** Status for an autocomplete request without an identifying field. */
  autocomplete: 400,
};
export type Statuses = typeof DEFAULT_STATUSES;

/** All options of a sandbox. switches.ts defines a flag and a default for each option. */
export interface SandboxOptions extends Required<WorldOptions>, FilterRules {
  /** The API key with all permissions. */
  key: string;
  /** Further API keys, each with its permissions. */
  keys: readonly KeyGrant[];
  /** Day of the market when the sandbox starts. */
  day: number;
  /** Maximum number of rows on a page. */
  maxPerPage: number;
  /** Maximum number of rows on a page of the employee search in version 2. 0: the same as `maxPerPage`. */
  employeesPerPage: number;
  /**
   * What happens to a `per_page` above `maxPerPage`: `clamp` reduces it to `maxPerPage`, `refuse` answers
   * InvalidRequest.
   */
  pageSizePolicy: 'clamp' | 'refuse';
  /** Number of rows on a page if the request has no `per_page`. */
  defaultPerPage: number;
  /**
   * What happens to a page above 10 in searches with the page cap. `refuse`: an error. `clamp`: page 10. `empty`: an
   * answer without rows.
   */
  pagePolicy: 'refuse' | 'clamp' | 'empty';
  /** What `total_pages` counts in searches with the page cap. `all`: all pages. `ten`: at most ten. */
  totalPages: 'all' | 'ten';
  /** Number of the last page that searches in version 1 show. 0: no limit. */
  v1PageCap: number;
  /** Largest total that a search reports. `total_pages` is computed from this total. 0: totals are exact. */
  countCap: number;
  /** Names of company filters that a search accepts but ignores. */
  ignoreFilter: readonly string[];
  /** Names of company filters that a search refuses with InvalidRequest. */
  refuseFilter: readonly string[];
  /** Order of search results. `id`: by id. `shuffled`: a different order in each answer. */
  order: 'id' | 'shuffled';
  /**
   * Form of ids of companies and people in answers. `documented`: number or text, as in the reference. Otherwise all
   * ids have the same form.
   */
  ids: 'documented' | 'number' | 'text';
  /** Kinds of schema drift in answers (`drift.ts`). An empty list: none. */
  drift: readonly DriftKind[];
  /** Number of data calls allowed per day. 0: no limit. */
  dailyLimit: number;
  /** Number of data calls allowed per second. Further calls get LimitError `limit`. 0: no limit. */
  rateLimit: number;
  /** Milliseconds that the sandbox waits before each answer. */
  latency: number;
  statuses: Statuses;
  /**
   * Body of the error of version 2 for an API key without the permission. `detail`: `{detail}`. `access`: the shape of
   * LimitError.
   */
  permissionBody: 'detail' | 'access';
  /**
   * Fields of which an autocomplete request must have at least one. `five`: the five fields that an error in the
   * reference names. `any`: any field except `country_code`. The reference states both rules.
   */
  autocompleteNeeds: 'five' | 'any';
  /** Milliseconds that a UBO enrichment job takes. */
  jobMilliseconds: number;
  /** Milliseconds between the attempts of a webhook delivery. */
  webhookRetryMilliseconds: number;
  /**
   * Length of a day of the market in seconds. A timer then moves the market to the next day. 0: the day changes only on
   * request.
   */
  dayEvery: number;
  /** File that keeps the day, the quota and the watches when the sandbox restarts. null: no file. */
  file: string | null;
  /** Milliseconds within which a client must send its headers. After this time, the sandbox closes the connection. */
  headersTimeout: number;
  /**
   * Milliseconds within which a client must send its whole request. After this time, the sandbox closes the connection.
   */
  requestTimeout: number;
  /** Whether the control routes `/_sandbox/…` also answer requests from other machines. */
  openControls: boolean;
}
