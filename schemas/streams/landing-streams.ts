import { z } from 'zod';

/**
 * Streams of the landing zone, with one folder each under `data/landing/`. The streams in RECORD_STREAMS hold
 * Tidemark's own records about its runs.
 */
export const LandingStream = z.enum([
  'prospecting', //         POST /v2/prospecting, one row per page
  'companies', //           GET /v2/companies/{id}
  'financials', //          GET /v2/financial/{id}
  'financials_v1', //       GET /v1/finder/company/financial
  'companies_v1', //        GET /v1/finder/company/details
  'financials_ticker', //   GET /v2/financial/ticker; entity_id: the ticker
  'contact_metrics', //     GET /v2/metrics/contacts; entity_id: the day
  'executives', //          GET /v1/finder/company/executives and its replacements; entity_id: the company
  'employees', //           POST /v2/employees, one row per page; entity_id: the company
  'employee_details', //    GET /v2/employees/{id}
  'ownership', //           GET /v2/kyb/{id}/ubo, one row per threshold
  'ownership_jobs', //      enrichment jobs of owners: start, changes of state, end; entity_id: the company
  'tenders', //             POST /v1/finder/tenders, one row per page
  'tender_details', //      GET /v1/finder/tenders/details
  'nomenclatures', //       three lookup lists; entity_id: `v1`, `tenders` or `donors`
  'watched_companies', //   GET /v2/companies/watch, one row per page
  'matches', //             enrichment and autocomplete for `tidemark resolve`; entity_id: the question
  'enrichments', //         enrichment of people for `tidemark enrich --people`; entity_id: the question
  'payee_checks', //        POST /v2/know-your-payee and /{id} for `tidemark payees check`; entity_id: the payee
  'payee_reports', //       GET /v2/know-your-payee/{id}; entity_id: the check
  'watch_events', //        GET /v2/companies/{id}/watch/events, one row per page
  'runs',
  'segments',
  'coverage',
  'requests',
  'quota',
  'due',
  'forecasts',
  'quota_overuse',
]);
export type LandingStream = z.infer<typeof LandingStream>;

/** Streams of records about a run. Their rows do not count as rows that the run fetched. */
export const RECORD_STREAMS: ReadonlySet<string> = new Set<LandingStream>([
  'runs',
  'segments',
  'coverage',
  'requests',
  'quota',
  'due',
  'forecasts',
  'quota_overuse',
]);
