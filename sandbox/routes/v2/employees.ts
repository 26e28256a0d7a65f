import type { FastifyInstance } from 'fastify';
import { EmployeesRequest, type Employee, type EmployeesResponse } from '../../../schemas/v2/employee.js';
import { searchPage, withinCap } from '../../http/paging.js';
import type { Sandbox } from '../../sandbox.js';
import { employeeConditions, findPeople } from '../../world/filters/people.js';
import { companyOf, personNumberOf } from '../../world/people.js';
import { employeeItem, employeeRecord } from '../../world/person-records.js';
import { demand, demandPageSize, pathId, refuseFilter, spend } from './context.js';
import { bodyOf } from '../../http/validate.js';

/** Routes of the reference's section "Employees". */
export function employeeRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  const { world } = sandbox;

  app.post('/employees', (request): EmployeesResponse => {
    const { body, empty } = withinCap(bodyOf(request), sandbox.options.pagePolicy);
    const { page = 1, per_page, filters } = demand(sandbox, EmployeesRequest, body);
    const { employeesPerPage, maxPerPage } = sandbox.options;
    const perPage = demandPageSize(sandbox, per_page, employeesPerPage === 0 ? maxPerPage : employeesPerPage);
    spend(sandbox, 'employees');
    const found = sandbox.searches.find(`employees ${JSON.stringify(filters)}`, () =>
      refuseFilter(sandbox, () =>
        Uint32Array.from(findPeople(world.ctx, world.matchingIndices({}, sandbox.day), employeeConditions(filters))),
      ),
    );
    const { total, pages, places } = searchPage(found.length, { page, perPage, cap: 'ten' }, sandbox.options);
    const rowAt = sandbox.order.next(found.length);
    const numbers = empty ? [] : places.map((place) => found[rowAt(place)]!);
    return {
      total_employees: total,
      total_pages: pages,
      data: numbers.map((number) => employeeItem(world.ctx, number, world.versionsOf(companyOf(number), sandbox.day))),
    };
  });

  app.get('/employees/:id', (request): Employee => {
    const id = pathId(sandbox, request);
    spend(sandbox, 'employees');
    const number = personNumberOf(world.ctx, id);
    if (number === undefined || !world.exists(companyOf(number), sandbox.day)) throw sandbox.errors.notFound();
    const person = employeeRecord(world.ctx, number, world.versionsOf(companyOf(number), sandbox.day));
    sandbox.reveals.add(sandbox.date, { email: person.email !== null, phone: person.phone !== null });
    return person;
  });
}
