/*
 * The register of streams whose records are fetched one by one. To add a stream, start here: the compiler then names
 * the other places to change (CONTRIBUTING.md, "Add a stream"). The register is plain data without zod, because
 * workflows read it, too.
 */

/** One stream of the register. */
interface FetchedStream {
  /** Route of one record; null for a stream whose records may need several routes. */
  route: string | null;
  /** List of due records, in `sql/due/`. Streams whose records are due for the same reasons share a list. */
  due: string;
  /** True when `due` chooses from the companies of a market (`sql/due/_companies.sql`). */
  ofCompanies?: true;
  /** For streams of `markets[].streams`: age at which a record is fetched again, unless the market sets another age. */
  refresh?: string;
  /** True for records that a backfill fetches again when they are stale. */
  backfill?: true;
  /** True when a rejected record can be fetched again by itself. */
  retry?: true;
  /** True when one request fetches a whole record. Repeated answers of such a stream can be dropped. */
  single?: true;
  /**
   * Stream whose answers name the records of this stream. A market snapshot fetches this stream right after the named
   * one, with the same age, and no configuration names it.
   */
  follows?: string;
}

/**
 * The streams, in the order in which a run fetches them. Companies come first: no report is requested for a company
 * whose details answer "not found".
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

/** The traits of a stream, by its name. */
export function traitsOf(name: FetchedStreamName): FetchedStream {
  return FETCHED[name];
}

/** The streams that follow a stream (`follows`). */
export function followersOf(name: FetchedStreamName): FetchedStreamName[] {
  return (Object.keys(FETCHED) as FetchedStreamName[]).filter((follower) => traitsOf(follower).follows === name);
}

/** Streams a market snapshot can fetch (docs/configuration.md, `markets[].streams`). */
export const MARKET_STREAMS = namesWith('refresh');

/** Streams of which a backfill fetches the stale records again. */
export const STALE_STREAMS = namesWith('backfill');

/** Streams a backfill can fetch for past dates. */
export const BACKFILL_STREAMS = ['tenders', 'watch_events', 'contact_metrics', ...STALE_STREAMS] as const;

/** Streams whose rejected records can be fetched again one by one. */
export const RETRY_STREAMS = namesWith('retry');

/** Streams whose repeated answers `tidemark compact` can drop. */
export const SINGLE_STREAMS = namesWith('single');
