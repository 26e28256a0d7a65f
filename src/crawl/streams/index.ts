import type { FetchedStreamName } from '../../../schemas/streams/streams.js';
import { recordWithoutPersonalData } from '../../privacy/personal-data.js';
import { tenderWithoutContacts } from '../../privacy/tender-contacts.js';
import { employees } from './people/employees.js';
import { enrichments } from './enrichments/enrichments.js';
import { executives } from './people/executives.js';
import { oneRow, type Fetcher } from '../records/fetcher.js';
import { matches } from './matches/identify.js';
import { payeeChecks, payeeReports } from './payees/payees.js';
import { ownership } from './owners/ownership.js';
import { ownershipJobs } from './owners/ownership-jobs.js';
import { watchEvents } from './watch-events.js';

export const fetchers: Record<FetchedStreamName, Fetcher> = {
  companies: oneRow((client, id, signal) => client.v2.company(id, { signal })),
  financials: oneRow((client, id, signal) => client.v2.financial(id, {}, { signal })),
  financials_v1: oneRow((client, id, signal) => client.v1.financial(id, { signal })),
  companies_v1: oneRow((client, id, signal) => client.v1.company(id, { signal })),
  financials_ticker: oneRow((client, ticker, signal) => client.v2.financialByTicker(ticker, { signal })),
  executives,
  employees,
  employee_details: {
    ...oneRow((client, id, signal) => client.v2.employee(id, { signal })),
    withoutPersonalData: recordWithoutPersonalData,
  },
  ownership,
  ownership_jobs: ownershipJobs,
  tender_details: {
    ...oneRow((client, slug, signal) => client.v1.tenderDetails(slug, { signal })),
    withoutPersonalData: tenderWithoutContacts,
  },
  matches,
  enrichments,
  payee_checks: payeeChecks,
  payee_reports: payeeReports,
  watch_events: watchEvents,
};
