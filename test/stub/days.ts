import { makeCompanies, makeNewcomer, type StubCompany } from './companies.js';
import type { StubOptions } from './options.js';
import type { StubState } from './state.js';

type Market = Pick<StubOptions, 'companies' | 'ids' | 'clones'>;

/** Advances the market to a day: some companies come, some leave, some change. */
export function moveToDay(state: StubState, day: number): void {
  const { present, departed } = companiesOn(state.options, day);
  state.day = day;
  state.companies = present;
  state.departed = departed;
  state.byId = new Map(present.map((company) => [company.id, company]));
}

/** Companies listed on a day, and those that left by then. */
export function companiesOn(market: Market, day: number): { present: StubCompany[]; departed: StubCompany[] } {
  const aDay = Math.max(1, Math.floor(market.companies / 100));
  const newcomers = Array.from({ length: aDay * day }, (_, n) => makeNewcomer(market.companies + n, market));
  const all = [...makeCompanies(market), ...newcomers];
  const present: StubCompany[] = [];
  const departed: StubCompany[] = [];
  for (const [i, company] of all.entries()) {
    const leaves = i < market.companies && i % 45 === 19 ? 1 + (i % 4) : Infinity;
    if (leaves > day) present.push(asOf(company, i, day));
    else departed.push(asOf(company, i, leaves - 1));
  }
  return { present, departed };
}

/** The company on a day: some change status, size, city or reports. */
function asOf(company: StubCompany, i: number, day: number): StubCompany {
  if (day === 0) return company;
  return {
    ...company,
    ...(i % 13 === 5 && { status: company.status === 199 ? 200 : 199 }),
    ...(i % 17 === 2 && company.employees !== null && { employees: company.employees + day }),
    ...(i % 19 === 4 && { city: `Nové Město ${day}` }),
    ...(i % 8 === 3 && day > 1 && { latestReport: 2025 }),
  };
}
