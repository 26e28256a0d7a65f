import { DEFAULT_STATUSES, type SandboxOptions } from './options.js';
import { count, driftKinds, names, oneOf, statuses, text, wholeNumber } from './switch-values.js';
import { DEFAULT_RULES } from './world/index.js';

/*
 * All switches of the sandbox in one table. The flags of the process, the defaults of its options, and the section
 * "Switches" of the README come from this table.
 */

/** Address and port on which the process listens. */
export interface Listening {
  host: string;
  port: number;
}

/**
 * The options that switches can set. The flag `--key` may be repeated, and gives a list of texts. http/permissions.ts
 * parses these texts into keys with permissions.
 */
type Settable = Omit<SandboxOptions, 'key' | 'keys'> & Listening & { key: string[] };

/** Groups of switches, in the order in which the help and the README show them. */
export const GROUPS = {
  market: 'Market',
  paging: 'Pages and totals',
  filters: 'Filters',
  identity: 'Keys and ids',
  speed: 'Quota and speed',
  faults: 'Errors and schema drift',
  process: 'Process',
} as const;

/** A switch: one flag, and the option that it sets. */
export interface Switch<T> {
  group: keyof typeof GROUPS;
  /** The flag in the syntax of Commander: `--name <value>`. */
  flag: string;
  /** Value of the option when the flag is missing. */
  value: T;
  /**
   * Text that help and README show as the default, if it differs from `value`. null: the switch is off when its flag is
   * missing.
   */
  shown?: string | null;
  description: string;
  /**
   * Converts the text of the flag to a value. `before` is the value of an earlier occurrence, if the flag may be
   * repeated. Left out for a flag without a text.
   */
  parse?: (text: string, before: T | undefined) => T;
}

/** All switches, one for each option. */
export const SWITCHES: { [Option in keyof Settable]: Switch<Settable[Option]> } = {
  companies: {
    group: 'market',
    flag: '--companies <n>',
    value: 10_000,
    description: 'companies in the market on day 0, at most 1000000',
    parse: wholeNumber,
  },
  tenders: {
    group: 'market',
    flag: '--tenders <n>',
    value: 400,
    description: 'tenders listed on day 0',
    parse: wholeNumber,
  },
  seed: {
    group: 'market',
    flag: '--seed <n>',
    value: 1,
    description: 'the same seed gives the same market',
    parse: wholeNumber,
  },
  date: {
    group: 'market',
    flag: '--date <yyyy-mm-dd>',
    value: '',
    shown: 'today',
    description: 'calendar date of day 0',
    parse: text,
  },
  day: {
    group: 'market',
    flag: '--day <n>',
    value: 0,
    description: 'day of the market at the start',
    parse: wholeNumber,
  },
  dayEvery: {
    group: 'market',
    flag: '--day-every <seconds>',
    value: 0,
    description: 'seconds per day of the market; 0: the day changes only on request',
    parse: wholeNumber,
  },
  clones: {
    group: 'market',
    flag: '--clones <n>',
    value: 0,
    description: 'number of identical companies that no filter can separate',
    parse: count,
  },
  eventTwins: {
    group: 'market',
    flag: '--event-twins <kind>',
    value: 'none',
    description: 'pairs of watch events in one second: none, different (values differ) or alike',
    parse: oneOf('none', 'different', 'alike'),
  },
  vatNumbers: {
    group: 'market',
    flag: '--vat-numbers <form>',
    value: 'plain',
    description: 'plain (country, 8 digits) or national: prefixed, bare, either (both are found)',
    parse: oneOf('plain', 'prefixed', 'bare', 'either'),
  },
  maxPerPage: {
    group: 'paging',
    flag: '--max-per-page <n>',
    value: 100,
    description: 'largest page size',
    parse: wholeNumber,
  },
  employeesPerPage: {
    group: 'paging',
    flag: '--employees-per-page <n>',
    value: 0,
    description: 'largest page size of the employee search; 0: as --max-per-page',
    parse: count,
  },
  pageSizePolicy: {
    group: 'paging',
    flag: '--page-size-policy <policy>',
    value: 'clamp',
    description: 'per_page above the largest page size: clamp (reduce it) or refuse',
    parse: oneOf('clamp', 'refuse'),
  },
  defaultPerPage: {
    group: 'paging',
    flag: '--default-per-page <n>',
    value: 10,
    description: 'page size of a request without per_page',
    parse: wholeNumber,
  },
  pagePolicy: {
    group: 'paging',
    flag: '--page-policy <policy>',
    value: 'refuse',
    description: 'answer to a page after the tenth: refuse, clamp (page ten) or empty',
    parse: oneOf('refuse', 'clamp', 'empty'),
  },
  totalPages: {
    group: 'paging',
    flag: '--total-pages <which>',
    value: 'all',
    description: 'total_pages of a search above the page cap: all (all pages) or ten (at most ten)',
    parse: oneOf('all', 'ten'),
  },
  v1PageCap: {
    group: 'paging',
    flag: '--v1-page-cap <n>',
    value: 0,
    description: 'last page of version 1 searches; 0: none',
    parse: count,
  },
  countCap: {
    group: 'paging',
    flag: '--count-cap <n>',
    value: 0,
    description: 'largest total that a search reports; 0: totals are exact',
    parse: count,
  },
  order: {
    group: 'paging',
    flag: '--order <order>',
    value: 'id',
    description: 'order of search results: by id, or shuffled in each answer',
    parse: oneOf('id', 'shuffled'),
  },
  ignoreFilter: {
    group: 'filters',
    flag: '--ignore-filter <names>',
    value: [],
    shown: null,
    description: 'company filters that are accepted and ignored, e.g. nace,name',
    parse: names,
  },
  refuseFilter: {
    group: 'filters',
    flag: '--refuse-filter <names>',
    value: [],
    shown: null,
    description: 'company filters that are refused as InvalidRequest',
    parse: names,
  },
  bounds: {
    group: 'filters',
    flag: '--bounds <kind>',
    value: DEFAULT_RULES.bounds,
    description: 'bounds that a range includes: inclusive (both), half-open (lower), exclusive (none)',
    parse: oneOf('inclusive', 'half-open', 'exclusive'),
  },
  incorporation: {
    group: 'filters',
    flag: '--incorporation <form>',
    value: DEFAULT_RULES.incorporation,
    description: 'bounds that company_incorporation expects: date or year',
    parse: oneOf('date', 'year'),
  },
  incorporationPolicy: {
    group: 'filters',
    flag: '--incorporation-policy <policy>',
    value: DEFAULT_RULES.incorporationPolicy,
    description: 'answer to unexpected bounds of company_incorporation: refuse or empty (no hits)',
    parse: oneOf('refuse', 'empty'),
  },
  incorporationNull: {
    group: 'filters',
    flag: '--incorporation-null <meaning>',
    value: DEFAULT_RULES.incorporationNull,
    description: 'null in company_incorporation: refuse, ignore, or select (companies without a date)',
    parse: oneOf('refuse', 'ignore', 'select'),
  },
  key: {
    group: 'identity',
    flag: '--key <key>',
    value: [],
    shown: 'sandbox-key-<seed>',
    description: 'API key with all permissions; NAME=permission,… limits the key; repeatable',
    parse: (key, before) => [...(before ?? []), key],
  },
  ids: {
    group: 'identity',
    flag: '--ids <form>',
    value: 'documented',
    description: 'type of ids in answers: as documented, all numbers or all text',
    parse: oneOf('documented', 'number', 'text'),
  },
  dailyLimit: {
    group: 'speed',
    flag: '--daily-limit <n>',
    value: 0,
    description: 'data calls per day; 0: no limit',
    parse: wholeNumber,
  },
  rateLimit: {
    group: 'speed',
    flag: '--rate-limit <n>',
    value: 0,
    description: 'data calls per second; 0: no limit',
    parse: wholeNumber,
  },
  latency: {
    group: 'speed',
    flag: '--latency <ms>',
    value: 0,
    description: 'milliseconds before each answer',
    parse: wholeNumber,
  },
  jobMilliseconds: {
    group: 'speed',
    flag: '--job-milliseconds <ms>',
    value: 2_000,
    description: 'milliseconds that a UBO enrichment job takes',
    parse: wholeNumber,
  },
  webhookRetryMilliseconds: {
    group: 'speed',
    flag: '--webhook-retry-milliseconds <ms>',
    value: 60_000,
    description: 'milliseconds between the attempts of a webhook delivery',
    parse: wholeNumber,
  },
  statuses: {
    group: 'faults',
    flag: '--statuses <list>',
    value: DEFAULT_STATUSES,
    shown: null,
    description: 'HTTP statuses of version 2 errors, e.g. limit=403,invalid=422',
    parse: statuses,
  },
  permissionBody: {
    group: 'faults',
    flag: '--permission-body <shape>',
    value: 'detail',
    description: 'body for an API key without the permission: detail or access (a LimitError)',
    parse: oneOf('detail', 'access'),
  },
  autocompleteNeeds: {
    group: 'faults',
    flag: '--autocomplete-needs <fields>',
    value: 'five',
    description: 'what autocomplete needs: five (one of five fields) or any (a field besides country)',
    parse: oneOf('five', 'any'),
  },
  drift: {
    group: 'faults',
    flag: '--drift <kinds>',
    value: [],
    shown: null,
    description: 'schema drift in answers: field (adds one), type (changes one), missing (omits one)',
    parse: driftKinds,
  },
  port: {
    group: 'process',
    flag: '--port <n>',
    value: 4010,
    description: 'port; 0 takes any free port',
    parse: wholeNumber,
  },
  host: {
    group: 'process',
    flag: '--host <address>',
    value: '127.0.0.1',
    description: 'address to listen on',
    parse: text,
  },
  file: {
    group: 'process',
    flag: '--file <file>',
    value: null,
    shown: null,
    description: 'file that keeps day, quota and watches after a restart',
    parse: text,
  },
  headersTimeout: {
    group: 'process',
    flag: '--headers-timeout <ms>',
    value: 10_000,
    description: 'milliseconds in which a client must send its headers',
    parse: count,
  },
  requestTimeout: {
    group: 'process',
    flag: '--request-timeout <ms>',
    value: 60_000,
    description: 'milliseconds in which a client must send its whole request',
    parse: count,
  },
  openControls: {
    group: 'process',
    flag: '--open-controls',
    value: false,
    shown: null,
    description: 'let the control routes /_sandbox answer other machines too',
  },
};

/** Returns the switches, sorted by group. */
export function switchList(): Switch<unknown>[] {
  const all = Object.values(SWITCHES) as Switch<unknown>[];
  return Object.keys(GROUPS).flatMap((group) => all.filter((one) => one.group === group));
}

/** Returns the default that help and README show for a switch. Null when the switch is off without its flag. */
export function shownDefault({ value, shown = String(value) }: Switch<unknown>): string | null {
  return shown;
}

/**
 * Returns all options: the given ones, and defaults for all others. The default key contains the seed. The default date
 * is today.
 */
export function sandboxOptions(given: Partial<SandboxOptions> = {}): SandboxOptions {
  const { host: _host, port: _port, key: _key, ...switches } = SWITCHES;
  const values = Object.fromEntries(Object.entries(switches).map(([option, { value }]) => [option, value]));
  return {
    ...(values as Omit<SandboxOptions, 'key' | 'keys'>),
    date: new Date().toISOString().slice(0, 10),
    key: `sandbox-key-${given.seed ?? SWITCHES.seed.value}`,
    keys: [],
    ...given,
  };
}
