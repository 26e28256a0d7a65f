import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { V1CompanyExecutivesResponse, V1Executive, V1ExecutivesResponse } from '../../schemas/v1/executive.js';
import { Employee, type EmployeesResponse } from '../../schemas/v2/employee.js';
import type { EnrichEmployeeSearchResponse } from '../../schemas/v2/enrichment.js';
import type { ContactMetrics } from '../../schemas/v2/metrics.js';
import { startApp, type Answer, type Running } from './running.js';

let app: Running;
let people: Employee[];
const EVERYONE = { filters: {}, per_page: 100 };
beforeAll(async () => {
  app = await startApp({ companies: 150, maxPerPage: 1000 });
  const { body } = await app.send<EmployeesResponse>('POST', '/v2/employees', { filters: {}, per_page: 1000 });
  const records = body.data.map(async ({ id }) => (await app.get<Employee>(`/v2/employees/${id}`)).body);
  people = await Promise.all(records);
});
afterAll(() => app.close());

const search = (filters: object, more: object = {}): Promise<Answer<EmployeesResponse>> =>
  app.send('POST', '/v2/employees', { ...EVERYONE, ...more, filters });

describe('employees', () => {
  it('has employees of the documented shape at most companies', () => {
    expect(people.length).toBeGreaterThan(150);
    for (const person of people) {
      expect(Object.keys(Employee.parse(person)).toSorted()).toEqual(
        'company_name email first_name full_name function_original_name gender id last_name microblog nationality patronime_name phone pronet seniority_level socialnet'.split(
          ' ',
        ),
      );
      expect(person.full_name).toBe(`${person.first_name} ${person.last_name}`);
    }
    expect(people.some(({ email }) => email === null)).toBe(true);
    expect(people.some(({ phone }) => phone !== null)).toBe(true);
  });

  it('finds employees by every filter', async () => {
    const total = async (filters: object): Promise<number> => (await search(filters)).body.total_employees;
    const count = (holds: (person: Employee) => boolean): number => people.filter(holds).length;
    expect(await total({ full_name: 'poppy' })).toBe(count(({ full_name }) => /poppy/i.test(full_name!)));
    expect(await total({ seniority: [14, 18] })).toBe(
      count(({ seniority_level }) => ['CXO', 'Owner'].includes(seniority_level![0]!)),
    );
    expect(await total({ job_title: ['manager', 'owner'] })).toBe(
      count(({ function_original_name }) => /manager|owner/i.test(function_original_name!)),
    );
    expect(await total({ advance: ['has_email'] })).toBe(count(({ email }) => email !== null));
    expect(await total({ advance: ['has_email', 'has_phone'] })).toBe(
      count(({ email, phone }) => email !== null && phone !== null),
    );
    const { pronet } = people.find((person) => person.pronet)!;
    expect(await total({ pronet })).toBe(1);
    const company = Number((await search({})).body.data[0]!.company_id);
    const own = (await search({ company_id: company })).body;
    expect(own.data.every(({ company_id }) => company_id === String(company))).toBe(true);
    expect(await total({ department: [833] })).toBeGreaterThan(await total({ department: [868] }));
  });

  it('caps employee pages like prospecting and requires filters', async () => {
    expect((await search({}, { page: 11 })).body).toEqual({ page: [expect.any(String)] });
    expect((await app.send('POST', '/v2/employees', {})).body).toEqual({ filters: [expect.any(String)] });
    expect((await search({ advance: ['has_fax'] })).body).toEqual({ advance: [expect.any(String)] });
    expect((await app.get('/v2/employees/70000000')).status).toBe(404);
  });
});

describe('employee enrichment', () => {
  const enrich = (path: string, body: object): Promise<Answer<Employee>> =>
    app.send('POST', `/v2/enrichment/${path}`, body);

  it('enriches employees by e-mail, profile and contacts, revealing what is asked', async () => {
    const person = people.find(({ email, phone, pronet }) => email && phone && pronet)!;
    const byMail = await enrich('email', { email: person.email });
    expect(byMail.body).toEqual({ ...person, company_id: expect.any(String) });
    expect((await enrich('email', { email: person.email, reveal_phone: false })).body).toMatchObject({
      phone: null,
      email: person.email,
    });
    const byProfile = await enrich('employee/pronet', { pronet: person.pronet, reveal_email: false });
    expect(byProfile.body).toMatchObject({
      id: person.id,
      email: null,
      phone: person.phone,
      department: [expect.any(String)],
    });
    const named = { first_name: person.first_name, last_name: person.last_name, company_name: person.company_name };
    expect((await enrich('employee/contacts', named)).body.full_name).toBe(person.full_name);
    expect(
      (await enrich('employee/contacts', { domain: person.email!.split('@')[1], last_name: person.last_name })).body
        .last_name,
    ).toBe(person.last_name);
    expect((await enrich('employee/contacts', { email: person.email, pronet: person.pronet })).body.id).toBe(person.id);
    expect(
      (
        await enrich('employee/contacts', {
          email: person.email,
          pronet: people.find(({ id, pronet }) => pronet && id !== person.id)!.pronet,
        })
      ).status,
    ).toBe(404);
  });

  it('refuses enrichment without criteria and answers 404 without a match', async () => {
    expect((await enrich('email', { email: 'nobody@nowhere.example' })).status).toBe(404);
    expect((await enrich('employee/contacts', {})).status).toBe(400);
    expect((await enrich('employee/pronet', {})).body).toEqual({ pronet: [expect.any(String)] });
  });

  it('searches employees by domain, place and seniority', async () => {
    const find = async (body: object): Promise<EnrichEmployeeSearchResponse> =>
      (
        await app.send<EnrichEmployeeSearchResponse>('POST', '/v2/enrichment/employee/search', {
          per_page: 1000,
          ...body,
        })
      ).body;
    const all = await find({});
    expect(all.total_employees).toBe(people.length);
    expect(typeof all.data.find(({ company }) => company!.incorporation_date)!.company!.incorporation_date).toBe(
      'number',
    );
    const british = await find({ company_locations: ['united kingdom'] });
    expect(british.total_employees).toBe(all.data.filter(({ country }) => country === 'United Kingdom').length);
    expect(await find({ company_locations: ['GB'], employee_locations: ['United Kingdom'] })).toEqual(british);
    const owners = await find({ employee_seniorities: ['owner', '14'] });
    expect(owners.total_employees).toBe(
      all.data.filter(({ seniority_level }) => ['Owner', 'CXO'].includes(seniority_level!)).length,
    );
    const { website, name } = all.data.find(({ company }) => company!.website)!.company!;
    const colleagues = await find({ domain_list: [website] });
    expect(new Set(colleagues.data.map(({ company }) => company!.name))).toEqual(new Set([name]));
  });
});

describe('executives of version 1', () => {
  it('serves the same people as version 1 executives', async () => {
    const [first] = (await search({})).body.data;
    const list = await app.get<V1CompanyExecutivesResponse>(
      `/v1/finder/company/executives?id=${first!.company_id}&page=1&per_page=50`,
    );
    expect(list.body.list[0]).toMatchObject({ id: Number(first!.id), company_name: first!.company_name });
    const details = await app.get<V1Executive>(`/v1/finder/executive/details?id=${first!.id}`);
    expect(details.body).toEqual(list.body.list[0]);
    expect((await app.get('/v1/finder/company/executives?id=5')).status).toBe(406);
    expect((await app.get('/v1/finder/company/executives?id=5&page=1&per_page=5')).body).toMatchObject({
      error_name: 'IdNotFound',
      data: { id: 5 },
    });
    expect((await app.get('/v1/finder/executive/details?id=5')).status).toBe(404);
  });

  it("searches executives by their own and their companies' filters", async () => {
    const find = async (filters?: object): Promise<V1ExecutivesResponse> =>
      (
        await app.send<V1ExecutivesResponse>('POST', '/v1/finder/executives', {
          page: 1,
          per_page: 1000,
          ...(filters && { filters }),
        })
      ).body;
    expect((await find()).data).toHaveLength(people.length);
    expect((await find({ contact_have_email: false })).data).toHaveLength(
      people.filter(({ email }) => email === null).length,
    );
    expect((await find({ contact_have_phone: true })).data).toHaveLength(
      people.filter(({ phone }) => phone !== null).length,
    );
    expect((await find({ nationality: ['GB'] })).data).toHaveLength(
      people.filter(({ nationality }) => nationality === 'GB').length,
    );
    const { email } = people.find((person) => person.email)!;
    expect((await find({ contact_emails: [email] })).data).toHaveLength(1);
    const pair = await find({ size: [10, 100] });
    expect(await find({ size: { from: 10, to: 100 } })).toEqual(pair);
    expect(pair.data.length).toBeGreaterThan(0);
    const { world } = app.sandbox;
    for (const { company_id } of pair.data)
      expect(world.profile(Number(company_id), 0)!.employees).toSatisfy((size: number) => size >= 10 && size <= 100);
    const [someone] = pair.data;
    expect(
      (await find({ company_id: someone!.company_id })).data.every(
        ({ company_id }) => company_id === someone!.company_id,
      ),
    ).toBe(true);
  });
});

describe('contact metrics', () => {
  it('counts contacts revealed between two times on the sandbox calendar', async () => {
    const count = async (from: string, to: string): Promise<ContactMetrics> =>
      (await app.get<ContactMetrics>(`/v2/metrics/contacts?date_from=${from}%2000:00:00&date_to=${to}%2023:59:59`))
        .body;
    const before = await count('2026-11-20', '2026-11-20');
    expect(before.email_count).toBeGreaterThanOrEqual(people.filter(({ email }) => email !== null).length);
    const person = people.find(({ email, phone }) => email && phone)!;
    await app.get(`/v2/employees/${person.id}`);
    expect(await count('2026-11-20', '2026-11-20')).toEqual({
      email_count: before.email_count + 1,
      phone_count: before.phone_count + 1,
    });
    expect(await count('2026-11-21', '2026-11-30')).toEqual({ email_count: 0, phone_count: 0 });
  });
});
