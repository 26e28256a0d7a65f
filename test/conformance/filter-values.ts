import type { V1ExecutiveFilters } from '../../schemas/v1/executive.js';
import type { TenderMust } from '../../schemas/v1/tender.js';
import type { EmployeeFilters } from '../../schemas/v2/employee.js';
import { SIC_CODE_FILTERS, type ProspectingFilters } from '../../schemas/v2/prospecting.js';
import { COUNTRIES } from '../../sandbox/world/data/country-ids.js';
import { ISO_COUNTRIES } from '../../sandbox/world/data/iso-countries.js';
import { DEPARTMENTS, SENIORITY_LEVEL } from '../../sandbox/world/data/nomenclatures.js';
import { VISIT_BANDS } from '../../sandbox/world/insights.js';
import type { Profile } from '../../sandbox/world/index.js';
import { indexOf } from '../../sandbox/world/membership.js';
import { peopleCountOf, PLACES } from '../../sandbox/world/people.js';
import { enrichedEmployee, executiveRecord } from '../../sandbox/world/person-records.js';
import type { CompanyEntry, PersonEntry } from './brute-force.js';
import type { Conformance } from './sandbox-calls.js';

/** A company as filters see it. */
export interface Entry {
  id: number;
  profile: Profile;
  /** Change of the number of employees in the latest filed year, in percent. */
  yoyStaff: number | null;
}

/** The sandbox's market, company by company. */
export function marketOf({ app }: Conformance): Entry[] {
  const { world } = app.sandbox;
  return world.companyIds(0).map((id) => {
    const latest = Object.values(world.financialReport(id, 0) ?? {}).at(-1);
    return {
      id,
      profile: world.profile(id, 0)!,
      yoyStaff: (latest?.['Employee-Numbers-Yoy'] ?? null) as number | null,
    };
  });
}

/** The API's records of the market, in the order in which searches list them. */
export function recordsOf({ app }: Conformance, market: Entry[]) {
  const { world } = app.sandbox;
  const companies = new Map(
    market.map(({ id, profile }): [number, CompanyEntry] => [
      id,
      { name: world.companyName(id, 0)!, record: world.company(id, 0), profile },
    ]),
  );
  const people = market.flatMap(({ id }): PersonEntry[] => {
    const index = indexOf(world.ctx, id)!;
    const versions = world.versionsOf(index, 0);
    const all = { withDepartment: true, revealEmail: true, revealPhone: true };
    return Array.from({ length: peopleCountOf(world.ctx, index) }, (_, place) => {
      const employee = enrichedEmployee(world.ctx, index * PLACES + place, versions, all);
      return {
        id: Number(employee.id),
        companyId: id,
        employee,
        executive: executiveRecord(world.ctx, index * PLACES + place, versions),
        department: String(employee.department![0]),
      };
    });
  });
  const tenders = world.tenders(0).map(({ slug }) => world.tender(slug, 0)!);
  return { companies, people, tenders };
}

/** Takes a range from the middle of the values, so that it keeps some companies and drops others. */
function upperHalf(market: Entry[], read: (entry: Entry) => number | null | undefined): number {
  const values = market.map(read).filter((value): value is number => Number.isFinite(value));
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** A value for each filter key of each table that matches some records but not all. */
export function filterValues(api: Conformance, market: Entry[]) {
  const { company, person, app } = api;
  const { profile } = market.find(({ id }) => id === api.id)!;
  const country = COUNTRIES.find(({ short_name }) => short_name === profile.country)!.id;
  const region = ISO_COUNTRIES.find(([code]) => code === profile.country)![2];
  const from = (read: (entry: Entry) => number | null | undefined): number => upperHalf(market, read);
  const middle = {
    employees: from((entry) => entry.profile.employees),
    turnover: from((entry) => entry.profile.figures.turnover),
    profit: from((entry) => entry.profile.figures.profit),
    liabilities: from((entry) => entry.profile.figures.liabilities),
    directors: Math.round(from((entry) => entry.profile.figures.directors)),
    profitEach: from(({ profile: { figures, employees } }) => (employees === null ? null : figures.profit / employees)),
    exports: from((entry) => entry.profile.figures.exports),
    ranking: from((entry) => entry.profile.website?.ranking),
    visits: from((entry) => entry.profile.website?.visits),
    founded: from((entry) => Number(entry.profile.incorporation?.slice(0, 4) ?? Number.NaN)),
  };
  const yoy = (read: (figures: Profile['figures']) => number) => ({
    gte: from((entry) => read(entry.profile.figures)),
  });
  const nationalCodes = SIC_CODE_FILTERS.map((scheme) => {
    const found = market.find((entry) => entry.profile.nationalCode?.scheme === scheme)!;
    return [scheme, [found.profile.nationalCode!.code]] as [typeof scheme, string[]];
  });
  const technology = market.find((entry) => entry.profile.website?.technologies.length)!.profile.website!
    .technologies[0]!;
  const prospecting: Required<ProspectingFilters> = {
    company_status: [199],
    number_of_employees: { gte: middle.employees },
    trading_activity: ['import'],
    activity_type: [1],
    company_type: [1],
    company_incorporation: { gte: `${middle.founded}-01-01` },
    legal_form: [profile.legalForm],
    industry_focus: [String(profile.industries[0])],
    website_keywords: [profile.website!.keywords[0]!],
    nace: [profile.nace],
    isic: [profile.isic],
    ...(Object.fromEntries(nationalCodes) as Record<(typeof SIC_CODE_FILTERS)[number], string[]>),
    location_regions: { include: [String(region)] },
    location_countries: { include: [`${region}_${country}`] },
    location_zip: [profile.zip!],
    location_type: [profile.city],
    financial_currency: [profile.currency!],
    financial_turnover: { gte: middle.turnover },
    financial_profit: { gte: middle.profit },
    financial_liabilities: { gte: middle.liabilities },
    financial_directors: [middle.directors],
    financial_employee_profit: { gte: middle.profitEach },
    financial_exports: { gte: middle.exports },
    foreign_parents: 'yes',
    ownership_accounts: 'yes',
    insights_visits: [VISIT_BANDS[1][0]],
    insights_technologies: [String(technology)],
    insights_ranking: { gte: middle.ranking },
    advance_companies: ['has_fax'],
    yoy_exports: yoy(({ yoyExports }) => yoyExports),
    yoy_liabilities: yoy(({ yoyLiabilities }) => yoyLiabilities),
    yoy_staff: { gte: from((entry) => entry.yoyStaff) },
    yoy_turnover: yoy(({ yoyTurnover }) => yoyTurnover),
    yoy_ebitda: yoy(({ yoyEbitda }) => yoyEbitda),
    yoy_profit: yoy(({ yoyProfit }) => yoyProfit),
    pronet: company.pronet!,
  };
  const seniority = SENIORITY_LEVEL.find(({ name }) => name === person.seniority_level![0])!.id;
  const department = DEPARTMENTS.find(({ name }) => name === 'Information Technology')!.id;
  const employees: Required<EmployeeFilters> = {
    full_name: person.full_name!,
    advance: ['has_email'],
    seniority: [seniority],
    department: [department],
    job_title: [person.function_original_name!],
    company_id: api.id,
    pronet: person.pronet!,
  };
  const executives: Required<V1ExecutiveFilters> = {
    name: [company.name!],
    registration_number: [company.registration_number!],
    vat_number: [company.vat_number!],
    status: [199],
    size: { from: middle.employees },
    trading_activity_import: true,
    trading_activity_export: false,
    activity_type: [1],
    industry: [profile.industries[0]!],
    sic_code: [Number(company.sic![0]!.id)],
    regions: [region],
    country: [country],
    city_or_state: [profile.city],
    zip: [profile.zip!],
    turnover: { from: middle.turnover },
    net_profit: { from: middle.profit },
    total_liabilities: { from: middle.liabilities },
    director_remuneration: { from: middle.directors },
    profit_per_employee: { from: middle.profitEach },
    exports: { from: middle.exports },
    ownership_type: [profile.legalForm],
    subsidiary_status: [1],
    used_technologies: [technology],
    year_of_founding: { from: middle.founded },
    website_monthly_visits: { from: middle.visits },
    site_ranking: { from: middle.ranking },
    domain: [company.company_website!],
    emails: [company.company_email![0]!],
    company_id: api.id,
    department: [department],
    seniority_level: [seniority],
    job_title: [person.function_original_name!],
    nationality: ['GB'],
    contact_emails: [person.email!],
    contact_have_email: true,
    contact_have_phone: false,
  };
  const [first] = app.sandbox.world.tenders(0);
  const tenders: Required<TenderMust> = {
    title: first!.title.slice(0, 6),
    countries: first!.countryIds,
    industries: first!.industryIds.slice(0, 1),
    types: [first!.typeId],
    status: [first!.statusId],
    donors: app.sandbox.world.tenders(0).find(({ donorIds }) => donorIds.length > 0)!.donorIds,
    deadline: { from: '2026-11-01', to: '2027-01-15' },
    date_created: { from: '2026-01-01', to: '2026-08-01' },
  };
  return { prospecting, employees, 'v1 companies': executives, 'v1 executives': executives, tenders };
}
