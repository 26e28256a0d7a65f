import { companiesOn, moveToDay } from '../stub/days.js';
import { employeesOf } from '../stub/employees.js';
import { startStub } from '../stub/index.js';
import { DEFAULTS } from '../stub/options.js';
import { decisionTruth } from '../stub/payees.js';
import { peopleOf } from '../stub/people.js';
import { ACCESS_OF } from '../stub/permissions.js';
import { routeOf } from '../stub/routes.js';
import {
  companiesDisagreementTruth,
  companiesV1Truth,
  contactMetricsTruth,
  tickerFinancialsTruth,
  tickersOf,
} from '../stub/sources-truth.js';
import {
  companiesTruth,
  employeesTruth,
  financialsTruth,
  membersTruth,
  tendersTruth,
  v1FinancialsTruth,
  executivesTruth,
} from '../stub/truth.js';
import { inconclusive, ownersTruth, ownersTreeTruth, ownerMarkers, HOUR_MS } from '../stub/owners.js';
import { expectTruth } from './expect-truth.js';
import type { MarketOptions, Target } from './target.js';

/** The stub as the API of an end-to-end test. Its market is named `demo` in the configuration. */
export async function startStubTarget(market: MarketOptions): Promise<Target> {
  const { companies, tenders, clones = 0, latency = 0, maxPerPage, dailyLimit = 0, permissions } = market;
  const page = maxPerPage === undefined ? DEFAULTS.page : { ...DEFAULTS.page, standard: 5, most: maxPerPage };
  const { state, ...api } = await startStub({ companies, tenders, clones, latency, page });
  state.daily.total = dailyLimit;
  state.allowed = permissions ? new Set(permissions) : null;
  return {
    name: 'stub',
    url: api.url,
    key: api.key,
    stop: () => api.close(),

    async answer(fault) {
      state.faults.push({ ...fault, seen: 0, met: 0 });
    },
    async answerLimit({ route, skip = 0, guard, access, message, retryAfterSeconds }) {
      const headers: Record<string, string> =
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      state.faults.push({ route, skip, headers, limit: { guard, access, message }, seen: 0, met: 0 });
    },
    async addToTotals(by) {
      state.faults.push({ route: '/v2/prospecting', totalsBy: by, seen: 0, met: 0 });
    },
    async clearFaults() {
      state.faults.length = 0;
    },
    async setQuota({ dailyLimit: total, used }) {
      state.daily.total = total;
      if (used !== undefined) state.daily.used = used;
    },
    async allow(...allowed) {
      state.allowed = new Set(allowed);
    },
    async advanceDay(days = 1) {
      moveToDay(state, state.day + days);
    },

    async requests(route) {
      return route === undefined
        ? state.requests.length
        : state.requests.filter((request) => routeOf(request) === route).length;
    },
    async faultsMet() {
      return state.faults.reduce((sum, { met }) => sum + met, 0);
    },
    async dailyLimitAnswers() {
      return state.dailyLimitAnswers;
    },
    async quotaUsed() {
      return state.daily.used;
    },
    namesOf(permission) {
      const { permission_name, module_name, app_name } = ACCESS_OF[permission];
      return { permission: permission_name, module: module_name, app: app_name };
    },

    truthOf(day) {
      const { present } = companiesOn(state.options, day);
      const gone = new Set(present.filter((company) => company.gone).map(({ id }) => id));
      return {
        companyIds: present.map(({ id }) => id).toSorted((a, b) => Number(a) - Number(b)),
        hasDetails: (id) => !gone.has(id),
      };
    },
    async expectMarketEqualsTruth(project) {
      await expectTruth({ project }, companiesTruth(state));
      await expectTruth({ project }, financialsTruth(state));
      await expectTruth({ project }, membersTruth(state, 'demo'));
    },
    expectTendersEqualTruth: (project) => expectTruth({ project }, tendersTruth(state)),
    expectExecutivesEqualTruth: (project) => expectTruth({ project }, executivesTruth(state)),
    expectEmployeesEqualTruth: (project) => expectTruth({ project }, employeesTruth(state)),
    identities: () =>
      state.companies
        .filter(({ gone }) => !gone)
        .map(({ id, name, country, registration, vat, website, phones }) => ({
          id,
          name,
          country: country.code,
          registration,
          vat,
          website,
          phones,
        })),
    people: () =>
      state.companies
        .filter(({ gone }) => !gone)
        .flatMap((company) =>
          peopleOf(company).map((person) => ({ ...person, companyId: company.id, companyName: company.name })),
        ),
    decisionOf: ({ id }) => decisionTruth(id),
    personalMarkers: () =>
      state.companies
        .flatMap((company) => [
          ...peopleOf(company).flatMap(({ lastName, email, phone }) => [lastName, email, phone]),
          ...employeesOf(company).flatMap(({ name, lastName, email, phone, profile }) => [
            name,
            lastName,
            email,
            phone,
            profile,
          ]),
        ])
        .filter((marker) => marker !== null),
    async expectCompaniesV1EqualTruth(project) {
      await expectTruth({ project }, companiesV1Truth(state));
      await expectTruth({ project }, companiesDisagreementTruth(state));
    },
    tickers: () => tickersOf(state),
    expectTickersEqualTruth: (project, tickers) => expectTruth({ project }, tickerFinancialsTruth(state, tickers)),
    // The stub has fixed figures for each day.
    async useContacts() {},
    expectContactMetricsEqualTruth: (project, days) => expectTruth({ project }, contactMetricsTruth(days)),
    async expectOwnersEqualTruth(project, resolved) {
      await expectTruth({ project }, ownersTruth(state, resolved));
      await expectTruth({ project }, ownersTreeTruth(state, resolved));
    },
    ownerMarkers: () => ownerMarkers(state),
    inconclusiveOwners: () => inconclusive(state).length,
    async jobsStarted() {
      return state.jobs.byId.size;
    },
    async advanceJobs(hours) {
      state.jobs.ahead += hours * HOUR_MS;
    },
    expectV1FinancialsEqualTruth: (project) => expectTruth({ project }, v1FinancialsTruth(state)),
  };
}
