import type { FastifyInstance } from 'fastify';
import {
  TenderDetailsQuery,
  TendersRequest,
  type TenderDetails,
  type TendersResponse,
} from '../../../schemas/v1/tender.js';
import { v1Error } from '../../http/errors.js';
import { searchPage } from '../../http/paging.js';
import type { Sandbox } from '../../sandbox.js';
import { bodyOf, readParameters } from '../../http/validate.js';
import { TENDER_COUNTRIES } from '../../world/data/country-ids.js';
import { TENDER_INDUSTRIES, TENDER_STATUSES, TENDER_TYPES } from '../../world/data/nomenclatures.js';
import { filterTenders, sortTenders } from '../../world/filters/tenders.js';
import { DONORS, tenderSummary } from '../../world/tenders/tenders.js';
import { demandPageSizeV1, demandV1 } from './context.js';

/**
 * Routes for public tenders and grants. By default, the search has no page cap, so a client can read all
 * `total_results` tenders.
 */
export function tenderRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.post('/tenders', (request): TendersResponse => {
    const body = demandV1(TendersRequest, bodyOf(request));
    const perPage = demandPageSizeV1(sandbox, body.per_page);
    const found = filterTenders(sandbox.world.tenders(sandbox.day), body.filters?.must ?? {});
    const sorted = sortTenders(found, body.sort);
    const { total, places } = searchPage(sorted.length, { page: body.page ?? 1, perPage, cap: 'v1' }, sandbox.options);
    const rowAt = sandbox.order.next(sorted.length);
    return { total_results: total, data: places.map((place) => tenderSummary(sorted[rowAt(place)]!)) };
  });

  app.get('/tenders/details', (request): TenderDetails => {
    const { slug } = demandV1(TenderDetailsQuery, readParameters(request.query, request.body, {}));
    const tender = sandbox.world.tender(slug, sandbox.day);
    if (tender === undefined) throw v1Error('IdNotFound', 'The slug was not found.', { slug });
    return tender;
  });

  app.get('/tenders/nomenclatures', () => ({
    countries: TENDER_COUNTRIES,
    statuses: TENDER_STATUSES,
    types: TENDER_TYPES,
    industries: TENDER_INDUSTRIES,
  }));

  // The reference shows no answer of this route.
  app.get('/tenders/donors', () => ({ donors: DONORS }));
}
