import type { FastifyInstance } from 'fastify';
import { V1IdQuery } from '../../../schemas/v1/company.js';
import {
  V1ExecutivesRequest,
  type V1Executive,
  type V1ExecutiveFilters,
  type V1ExecutivesResponse,
} from '../../../schemas/v1/executive.js';
import { v1Error } from '../../http/errors.js';
import { allowedFilters } from '../../http/filter-switches.js';
import { searchPage } from '../../http/paging.js';
import type { Sandbox } from '../../sandbox.js';
import { bodyOf, readParameters } from '../../http/validate.js';
import { executiveConditions, findPeople } from '../../world/filters/people.js';
import { companyOf, personNumberOf } from '../../world/people.js';
import { executiveItem, executiveRecord } from '../../world/person-records.js';
import { demandPageSizeV1, demandV1, refuseFilter } from './context.js';

/**
 * Routes for executives in version 1: search, and details of one person. The search accepts filters for the company and
 * for the person.
 */
export function v1ExecutiveRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  const { world } = sandbox;

  app.post('/executives', (request): V1ExecutivesResponse => {
    const body = demandV1(V1ExecutivesRequest, bodyOf(request));
    const perPage = demandPageSizeV1(sandbox, body.per_page);
    const filters = body.filters ?? {};
    const found = sandbox.searches.find(`v1 executives ${JSON.stringify(filters)}`, () =>
      refuseFilter(() => search(sandbox, allowedFilters(filters, sandbox.options))),
    );
    const { pages, places } = searchPage(found.length, { page: body.page ?? 1, perPage, cap: 'v1' }, sandbox.options);
    const rowAt = sandbox.order.next(found.length);
    const numbers = places.map((place) => found[rowAt(place)]!);
    const data = numbers.map((number) =>
      executiveItem(world.ctx, number, world.versionsOf(companyOf(number), sandbox.day)),
    );
    return { data, pages };
  });

  app.get('/executive/details', (request): V1Executive => {
    const { id } = demandV1(V1IdQuery, readParameters(request.query, request.body, { numbers: ['id'] }));
    const number = personNumberOf(world.ctx, id);
    if (number === undefined || !world.exists(companyOf(number), sandbox.day)) {
      throw v1Error('IdNotFound', 'The id was not found.', { id });
    }
    const person = executiveRecord(world.ctx, number, world.versionsOf(companyOf(number), sandbox.day));
    sandbox.reveals.add(sandbox.date, { email: person.contact_email !== null, phone: person.contact_phone !== null });
    return person;
  });
}

function search(sandbox: Sandbox, filters: V1ExecutiveFilters): Uint32Array {
  const { company_id: _id, size, ...rest } = filters;
  // In the reference's sample, `size` is a pair of numbers and not an object with `from` and `to`.
  const range = Array.isArray(size) ? { from: size[0], to: size[1] } : size;
  const { department: _d, seniority_level: _s, job_title: _j, nationality: _n, contact_emails: _c, ...others } = rest;
  const { contact_have_email: _e, contact_have_phone: _p, ...companyFilters } = others;
  const companies = sandbox.world.matchingV1(
    { ...companyFilters, ...(range === undefined ? {} : { size: range }) },
    sandbox.day,
    sandbox.options,
  );
  return Uint32Array.from(findPeople(sandbox.world.ctx, companies, executiveConditions(filters)));
}
