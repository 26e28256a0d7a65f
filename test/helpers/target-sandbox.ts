import { expect } from 'vitest';
import { PayeeChecks } from '../../sandbox/payee/checks.js';
import { PERMISSIONS } from '../../sandbox/http/permissions.js';
import { startSandbox, TODAY } from './processes.js';
import { advanceDay, control, countRequests } from './sandbox.js';
import { expectOwnersEqualTruth, inconclusiveOwners, ownerMarkers } from './owners.js';
import type { Fault, MarketOptions, Target } from './target.js';
import {
  expectEmployeesEqualTruth,
  expectExecutivesEqualTruth,
  expectMarketEqualsTruth,
  expectTendersEqualTruth,
  expectV1FinancialsEqualTruth,
  identities,
  people,
  personalMarkers,
  truthOf,
} from './truth.js';
import { expectCompaniesV1EqualTruth, expectTickersEqualTruth, someExecutives, tickersOf } from './truth-sources.js';

const LIMITED_KEY = 'a-key-that-may-do-less';

/** The sandbox as the API of an end-to-end test. */
export async function startSandboxTarget(market: MarketOptions): Promise<Target> {
  const { companies, tenders, seed = 1, date, permissions } = market;
  const options: Record<string, string | number | undefined> = {
    companies,
    tenders,
    seed,
    date,
    'max-per-page': market.maxPerPage,
    'employees-per-page': market.employeesPerPage,
    clones: market.clones,
    latency: market.latency,
    'job-milliseconds': 6 * 3_600_000,
    'daily-limit': market.dailyLimit,
    ...(permissions && { key: `${LIMITED_KEY}=${permissions.join(',')}`, 'permission-body': 'access' }),
  };
  const given = Object.entries(options).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  const sandbox = await startSandbox(Object.fromEntries(given));
  const flags = { companies, tenders, seed, ...(date !== undefined && { date }) };
  const key = permissions ? LIMITED_KEY : sandbox.key;
  const fault = (order: Omit<Fault, 'body'> & { body?: unknown; kind?: string; by?: number }) =>
    control(sandbox, 'faults', { times: 0, ...order });
  let day = 0;
  const contacts = { emails: 0, phones: 0 };
  return {
    name: 'sandbox',
    url: sandbox.url,
    key,
    stop: () => sandbox.stop(),

    answer: (order) =>
      fault({ ...order, kind: order.status === undefined ? 'latency' : 'status', latency: order.latency ?? 0 }),
    answerLimit: ({ route, skip = 0, guard, access, message, retryAfterSeconds }) =>
      fault({
        route,
        skip,
        kind: 'status',
        status: 429,
        ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
        body: { access, error_guard: guard, message_guard: message },
      }),
    addToTotals: (by) => fault({ route: '/v2/prospecting', kind: 'drift', by }),
    async clearFaults() {
      await fetch(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
    },
    setQuota: (quota) => control(sandbox, 'quota', quota),
    allow: (...allowed) => control(sandbox, 'keys', { key, permissions: allowed }),
    async advanceDay(days = 1) {
      await advanceDay(sandbox, days);
      day += days;
    },

    requests: (route) => countRequests(sandbox, route),
    async faultsMet() {
      const faults = (await (await fetch(`${sandbox.url}/_sandbox/faults`)).json()) as { struck: number }[];
      return faults.reduce((sum, { struck }) => sum + struck, 0);
    },
    async dailyLimitAnswers() {
      const report = await fetch(`${sandbox.url}/_sandbox/requests`);
      const { statuses } = (await report.json()) as { statuses: Record<string, number> };
      return statuses['429'] ?? 0;
    },
    async quotaUsed() {
      const state = await fetch(`${sandbox.url}/_sandbox/state`);
      return ((await state.json()) as { quota: { used: number } }).quota.used;
    },
    namesOf: (permission) => ({
      permission: PERMISSIONS[permission],
      module: PERMISSIONS[permission],
      app: 'Company Data API',
    }),

    truthOf(of) {
      const world = truthOf(flags);
      const ids = world.companyIds(of);
      return {
        companyIds: ids.map(String),
        hasDetails: (id) => world.company(Number(id), of) !== undefined,
      };
    },
    expectMarketEqualsTruth: (project) => expectMarketEqualsTruth(project, flags, day),
    expectTendersEqualTruth: (project) => expectTendersEqualTruth(project, flags, day),
    expectExecutivesEqualTruth: (project) => expectExecutivesEqualTruth(project, flags, day),
    expectEmployeesEqualTruth: (project) => expectEmployeesEqualTruth(project, flags, day),
    identities: () => identities(flags),
    people: () => people(flags),
    decisionOf: ({ country_code, id }) =>
      new PayeeChecks().run({ country_code, id, id_scheme: 'any' }, null, '2026-01-01').decision,
    personalMarkers: () => personalMarkers(flags, day),
    expectCompaniesV1EqualTruth: (project) => expectCompaniesV1EqualTruth(project, flags, day),
    tickers: () => ({ readable: tickersOf(flags, day), unreadable: [] }),
    expectTickersEqualTruth: (project, tickers) => expectTickersEqualTruth(project, flags, day, tickers),
    async useContacts() {
      for (const { id, email, phone } of someExecutives(flags, day)) {
        await fetch(`${sandbox.url}/v1/finder/executive/details?id=${id}`, {
          headers: { authorization: `Token ${key}` },
        });
        contacts.emails += Number(email);
        contacts.phones += Number(phone);
      }
    },
    async expectContactMetricsEqualTruth(project, days) {
      const sql = `SELECT date::VARCHAR AS day, email_count::INTEGER AS emails, phone_count::INTEGER AS phones FROM ops.contact_metrics ORDER BY date`;
      const none = { emails: 0, phones: 0 };
      expect(await project.query(sql)).toEqual(
        days.map((one) => ({ day: one, ...(one === (date ?? TODAY) ? contacts : none) })),
      );
    },
    expectOwnersEqualTruth: (project, resolved) => expectOwnersEqualTruth(project, flags, { day, resolved }),
    ownerMarkers: () => ownerMarkers(flags, day),
    inconclusiveOwners: () => inconclusiveOwners(flags, day),
    async jobsStarted() {
      return ((await (await fetch(`${sandbox.url}/_sandbox/jobs`)).json()) as { started: number }).started;
    },
    advanceJobs: (hours) => control(sandbox, 'jobs', { advanceSeconds: hours * 3_600 }),
    expectV1FinancialsEqualTruth: (project) => expectV1FinancialsEqualTruth(project, flags, day),
  };
}
