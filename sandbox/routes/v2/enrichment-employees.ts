import type { FastifyInstance } from 'fastify';
import type { Employee } from '../../../schemas/v2/employee.js';
import {
  EnrichContactsRequest,
  EnrichEmailRequest,
  EnrichEmployeePronetRequest,
  EnrichEmployeeSearchRequest,
  type EnrichEmployeeSearchResponse,
} from '../../../schemas/v2/enrichment.js';
import { searchPage } from '../../http/paging.js';
import type { Sandbox } from '../../sandbox.js';
import { indexOfAddress } from '../../world/contacts.js';
import { SENIORITY_LEVEL } from '../../world/data/nomenclatures.js';
import { findPeople } from '../../world/filters/people.js';
import { nameOf } from '../../world/names.js';
import { companyOf, personByAddress } from '../../world/people.js';
import { enrichedEmployee, enrichedEmployeeItem } from '../../world/person-records.js';
import { demand, demandPageSize, spend } from './context.js';
import { bodyOf } from '../../http/validate.js';

/**
 * Routes for people in the reference's section "Enrichment". They find a person by e-mail, profile address or contact
 * data, or search for people.
 */
export function employeeEnrichmentRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  const { world } = sandbox;

  app.post('/enrichment/email', (request): Employee => {
    const { email, reveal_phone = true } = demand(sandbox, EnrichEmailRequest, bodyOf(request));
    spend(sandbox, 'enrichment');
    const person = personByAddress(world.ctx, email);
    return reveal(sandbox, person, { withDepartment: false, revealEmail: true, revealPhone: reveal_phone });
  });

  app.post('/enrichment/employee/pronet', (request): Employee => {
    const body = demand(sandbox, EnrichEmployeePronetRequest, bodyOf(request));
    spend(sandbox, 'enrichment');
    return reveal(sandbox, personByAddress(world.ctx, body.pronet), { withDepartment: true, ...revealsOf(body) });
  });

  app.post('/enrichment/employee/contacts', (request): Employee => {
    const body = demand(sandbox, EnrichContactsRequest, bodyOf(request));
    spend(sandbox, 'enrichment');
    return reveal(sandbox, personByContacts(sandbox, body), { withDepartment: true, ...revealsOf(body) });
  });

  app.post('/enrichment/employee/search', (request): EnrichEmployeeSearchResponse => {
    const { page = 1, per_page, ...asked } = demand(sandbox, EnrichEmployeeSearchRequest, bodyOf(request));
    const perPage = demandPageSize(sandbox, per_page);
    spend(sandbox, 'enrichment');
    const found = sandbox.searches.find(`people ${JSON.stringify(asked)}`, () => search(sandbox, asked));
    const { total, pages, places } = searchPage(found.length, { page, perPage, cap: 'none' }, sandbox.options);
    const rowAt = sandbox.order.next(found.length);
    const numbers = places.map((place) => found[rowAt(place)]!);
    return {
      total_employees: total,
      total_pages: pages,
      data: numbers.map((number) =>
        enrichedEmployeeItem(world.ctx, number, world.versionsOf(companyOf(number), sandbox.day)),
      ),
    };
  });
}

function revealsOf(body: { reveal_email?: boolean | undefined; reveal_phone?: boolean | undefined }): {
  revealEmail: boolean;
  revealPhone: boolean;
} {
  return { revealEmail: body.reveal_email ?? true, revealPhone: body.reveal_phone ?? true };
}

function reveal(
  sandbox: Sandbox,
  number: number | undefined,
  options: Parameters<typeof enrichedEmployee>[3],
): Employee {
  const { world, day } = sandbox;
  if (number === undefined || !world.exists(companyOf(number), day)) throw sandbox.errors.notFound('Nobody was found.');
  const person = enrichedEmployee(world.ctx, number, world.versionsOf(companyOf(number), day), options);
  sandbox.reveals.add(sandbox.date, { email: person.email !== null, phone: person.phone !== null });
  return person;
}

/**
 * Finds a person by contact data. If the request has an e-mail or profile address, this address decides. Otherwise
 * returns the first person with the given name in the given company.
 */
function personByContacts(sandbox: Sandbox, asked: EnrichContactsRequest): number | undefined {
  const { world, day } = sandbox;
  const direct = [asked.email, asked.pronet].filter((address) => address !== undefined);
  const fullName = [asked.first_name, asked.last_name].filter((name) => name !== undefined).join(' ');
  if (direct.length > 0) {
    const [first, ...others] = direct.map((address) => personByAddress(world.ctx, address));
    return others.every((number) => number === first) ? first : undefined;
  }
  if (asked.domain === undefined && asked.company_name === undefined) {
    if (fullName !== '') return undefined;
    throw sandbox.errors.invalid({ email: ['Give an e-mail, a profile, or a name with company_name or domain.'] });
  }
  const byDomain = asked.domain === undefined ? undefined : indexOfAddress(world.ctx, asked.domain);
  if (asked.domain !== undefined && byDomain === undefined) return undefined;
  const wanted = asked.company_name?.trim().toLowerCase();
  const companies = byDomain === undefined ? world.matchingOverview({ name: wanted ?? '' }, day) : [byDomain];
  const named = Array.from(companies).filter(
    (index) =>
      wanted === undefined || nameOf(world.ctx, index, world.versionsOf(index, day)).toLowerCase().includes(wanted),
  );
  return findPeople(world.ctx, named, fullName === '' ? {} : { fullName })[0];
}

/**
 * Searches for people. Locations are names of cities, states or countries, or country codes. Seniorities are names or
 * ids of the lookup list.
 */
function search(sandbox: Sandbox, asked: EnrichEmployeeSearchRequest): Uint32Array {
  const { world, day } = sandbox;
  const domains = asked.domain_list?.map((domain) => indexOfAddress(world.ctx, domain));
  const places = [asked.company_locations, asked.employee_locations].filter(
    (list) => list !== undefined && list.length > 0,
  );
  const companies = Array.from(world.matchingIndices({}, day)).filter(
    (index) =>
      (domains === undefined || domains.length === 0 || domains.includes(index)) &&
      places.every((list) => list!.some((place) => world.isAt(index, day, place))),
  );
  const wanted = asked.employee_seniorities?.map((name) => name.trim().toLowerCase()) ?? [];
  const seniorities = SENIORITY_LEVEL.filter(
    ({ id, name }) => wanted.includes(name.toLowerCase()) || wanted.includes(String(id)),
  );
  const conditions = wanted.length === 0 ? {} : { seniorities: seniorities.map(({ id }) => id) };
  return Uint32Array.from(findPeople(world.ctx, companies, conditions));
}
