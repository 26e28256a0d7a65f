import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  V1CompaniesRequest,
  V1IdQuery,
  type V1CompaniesResponse,
  type V1Company,
} from '../../../schemas/v1/company.js';
import { V1CompanyExecutivesQuery, type V1CompanyExecutivesResponse } from '../../../schemas/v1/executive.js';
import type { V1FinancialReport } from '../../../schemas/v1/financial-report.js';
import { v1Error } from '../../http/errors.js';
import { allowedFilters } from '../../http/filter-switches.js';
import { pageOf, searchPage } from '../../http/paging.js';
import type { Sandbox } from '../../sandbox.js';
import { bodyOf, readParameters } from '../../http/validate.js';
import { indexOf } from '../../world/membership.js';
import { peopleCountOf, PLACES } from '../../world/people.js';
import { executiveRecord } from '../../world/person-records.js';
import { v1Company } from '../../world/v1/company.js';
import { v1FinancialReport } from '../../world/v1/financial-report.js';
import { demandPageSizeV1, demandV1, refuseFilter } from './context.js';

/**
 * Routes for companies in version 1: search, details, financial report, executives. By default, the search has no page
 * cap (`v1PageCap`).
 */
export function v1CompanyRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  const { world, options } = sandbox;

  app.post('/companies', (request): V1CompaniesResponse => {
    const { page, per_page, filters } = demandV1(V1CompaniesRequest, bodyOf(request));
    const perPage = demandPageSizeV1(sandbox, per_page);
    const found = sandbox.searches.find(`v1 ${JSON.stringify(filters)}`, () =>
      refuseFilter(() => world.matchingV1(allowedFilters(filters, options), sandbox.day, options)),
    );
    const { pages, places } = searchPage(found.length, { page, perPage, cap: 'v1' }, options);
    const rowAt = sandbox.order.next(found.length);
    return { data: places.map((place) => world.summary(found[rowAt(place)]!, sandbox.day)), pages };
  });

  app.get('/company/details', (request): V1Company => {
    const { id } = demandV1(V1IdQuery, parametersOf(request));
    const company = world.company(id, sandbox.day);
    if (company === undefined) throw unknownId(id);
    return v1Company(company);
  });

  app.get('/company/financial', (request): V1FinancialReport => {
    const { id } = demandV1(V1IdQuery, parametersOf(request));
    const report = world.financialReport(id, sandbox.day);
    if (report === undefined) throw unknownId(id);
    return v1FinancialReport(world.ctx, indexOf(world.ctx, id)!, report);
  });

  app.get('/company/executives', (request): V1CompanyExecutivesResponse => {
    const { id, page, per_page } = demandV1(V1CompanyExecutivesQuery, parametersOf(request));
    const perPage = demandPageSizeV1(sandbox, per_page);
    const index = indexOf(world.ctx, id);
    if (index === undefined || !world.exists(index, sandbox.day)) throw unknownId(id);
    const { from, to, pages } = pageOf(peopleCountOf(world.ctx, index), page, perPage);
    const versions = world.versionsOf(index, sandbox.day);
    const numbers = Array.from({ length: to - from }, (_, n) => index * PLACES + from + n);
    return { list: numbers.map((number) => executiveRecord(world.ctx, number, versions)), pages };
  });
}

function parametersOf(request: FastifyRequest): Record<string, unknown> {
  return readParameters(request.query, request.body, { numbers: ['id', 'page', 'per_page'] });
}

function unknownId(id: number): Error {
  return v1Error('IdNotFound', 'The id was not found.', { id });
}
