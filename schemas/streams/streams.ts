/*
 * The register of streams whose records are fetched one by one. To add a stream, start here: the compiler then names
 * the other places to change (CONTRIBUTING.md, "Add a stream"). This file does not import zod: workflows import this
 * file, and their bundle is kept free of zod.
 */

/** One stream of the register. */
interface FetchedStream {
  /** Route of one record; null for a stream whose records may need several routes. */
  route: string | null;
  /**
   * Name of the query in `sql/due/` that lists the due records. Streams whose records are due for the same reasons
   * share a query.
   */
  due: string;
  /** True when the query in `due` chooses from the companies of a market (`sql/due/_companies.sql`). */
  ofCompanies?: true;
  /**
   * Age at which a record is fetched again, unless the market sets another age. Only for streams of
   * `markets[].streams`.
   */
  refresh?: string;
  /** True when a backfill fetches the stale records of this stream again. */
  backfill?: true;
  /** True when Tidemark can fetch a single rejected record again. */
  retry?: true;
  /** True when one request fetches a whole record. In such a stream, `tidemark compact` can drop repeated answers. */
  single?: true;
  /**
   * Another stream, whose answers name the records of this stream. A market snapshot fetches this stream right after
   * the other one, and with the same `refresh`. The configuration does not name this stream.
   */
  follows?: string;
}

/**
 * The streams, in the order in which a run fetches them. Companies come first, so that no report is requested for a
 * company that the API does not find.
 */
export const FETCHED = {
  companies: {
    route: 'GET /v2/companies/{id}',
    due: 'companies',
    ofCompanies: true,
    refresh: '30d',
    retry: true,
    single: true,
  },
  financials: {
    route: 'GET /v2/financial/{id}',
    due: 'financials',
    ofCompanies: true,
    refresh: '90d',
    backfill: true,
    retry: true,
    single: true,
  },
  financials_v1: {
    route: 'GET /v1/finder/company/financial',
    due: 'financials',
    ofCompanies: true,
    refresh: '90d',
    backfill: true,
    retry: true,
    single: true,
  },
  companies_v1: {
    route: 'GET /v1/finder/company/details',
    due: 'financials',
    ofCompanies: true,
    refresh: '30d',
    retry: true,
    single: true,
  },
  financials_ticker: {
    route: 'GET /v2/financial/ticker',
    due: 'financials_ticker',
    refresh: '90d',
    retry: true,
    single: true,
  },
  executives: {
    route: 'GET /v1/finder/company/executives',
    due: 'financials',
    ofCompanies: true,
    refresh: '90d',
    retry: true,
  },
  employees: {
    route: 'POST /v2/employees',
    due: 'financials',
    ofCompanies: true,
    refresh: '90d',
    retry: true,
  },
  employee_details: {
    route: 'GET /v2/employees/{id}',
    due: 'employee_details',
    ofCompanies: true,
    follows: 'employees',
    retry: true,
    single: true,
  },
  ownership: { route: 'GET /v2/kyb/{id}/ubo', due: 'financials', ofCompanies: true, refresh: '90d', retry: true },
  ownership_jobs: { route: null, due: 'ownership_jobs' },
  tender_details: { route: 'GET /v1/finder/tenders/details', due: 'tender_details', retry: true, single: true },
  watch_events: { route: 'GET /v2/companies/{id}/watch/events', due: 'watch_events' },
  matches: { route: null, due: 'questions' },
  enrichments: { route: null, due: 'questions' },
  payee_checks: { route: null, due: 'payee_checks' },
  payee_reports: { route: 'GET /v2/know-your-payee/{id}', due: 'payee_reports' },
} as const satisfies Record<string, FetchedStream>;

export type FetchedStreamName = keyof typeof FETCHED;

type NamesWith<Trait extends keyof FetchedStream> = {
  [Name in FetchedStreamName]: (typeof FETCHED)[Name] extends Record<Trait, unknown> ? Name : never;
}[FetchedStreamName];

function namesWith<Trait extends keyof FetchedStream>(trait: Trait): [NamesWith<Trait>, ...NamesWith<Trait>[]] {
  return Object.keys(FETCHED).filter((name) => trait in FETCHED[name as FetchedStreamName]) as [NamesWith<Trait>];
}

/** Returns the entry of a stream in the register. */
export function traitsOf(name: FetchedStreamName): FetchedStream {
  return FETCHED[name];
}

/** Returns the streams that follow a stream (`follows`). */
export function followersOf(name: FetchedStreamName): FetchedStreamName[] {
  return (Object.keys(FETCHED) as FetchedStreamName[]).filter((follower) => traitsOf(follower).follows === name);
}

/** Streams that a market snapshot can fetch (docs/configuration.md, `markets[].streams`). */
export const MARKET_STREAMS = namesWith('refresh');

/** Streams whose stale records a backfill fetches again. */
export const STALE_STREAMS = namesWith('backfill');

/** Streams that a backfill can fetch for past dates. */
export const BACKFILL_STREAMS = ['tenders', 'watch_events', 'contact_metrics', ...STALE_STREAMS] as const;

/** Streams in which Tidemark can fetch a single rejected record again. */
export const RETRY_STREAMS = namesWith('retry');

/** Streams in which `tidemark compact` can drop repeated answers. */
export const SINGLE_STREAMS = namesWith('single');
