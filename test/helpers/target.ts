import type { Project } from './project.js';
import { startSandboxTarget } from './target-sandbox.js';
import { startStubTarget } from './target-stub.js';

/*
 * The API of the end-to-end tests: the sandbox, or with TIDEMARK_TEST_TARGET=stub the independent stub (test/stub). The
 * stub differs wherever the reference is silent. Each target translates the tests' requests to its own statuses, bodies
 * and names.
 */

export interface MarketOptions {
  companies: number;
  tenders: number;
  /** Seed of the market. The stub has only one market. */
  seed?: number;
  /** Calendar date of day 0. The stub has no calendar. */
  date?: string;
  /** Largest page; the default differs by target. */
  maxPerPage?: number;
  /** Largest page of the employee search in the sandbox. The stub has its own, and a company above the page cap. */
  employeesPerPage?: number;
  /** Number of identical companies that no filter can separate. */
  clones?: number;
  /** Milliseconds before each answer. */
  latency?: number;
  /** Data calls per day; unlimited if omitted. */
  dailyLimit?: number;
  /** Permissions of the key; all if omitted. */
  permissions?: readonly Permission[];
}

export type Permission = 'prospecting' | 'company_details' | 'financials' | 'tenders' | 'watching';

/** Fault for requests whose path begins with `route`, until `clearFaults`. */
export interface Fault {
  route: string;
  /** Number of requests that pass first. */
  skip?: number;
  /** Number of requests to which the fault applies; without it, to all. */
  times?: number;
  /** Status and body instead of the usual answer. */
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Milliseconds before the answer. */
  latency?: number;
}

/** A LimitError with the target's status. */
export interface LimitFault extends Pick<Fault, 'route' | 'skip'> {
  guard: 'limit' | 'limits.daily';
  access: Record<string, string>;
  message: string;
  retryAfterSeconds?: number;
}

/** The market on a day, with ids as in the warehouse. */
export interface MarketTruth {
  companyIds: string[];
  hasDetails: (id: string) => boolean;
}

/** What identifies a company. */
export interface Identity {
  id: string;
  name: string;
  country: string;
  registration: string;
  vat: string | null;
  website: string | null;
  phones: readonly string[];
}

/** What identifies a person. */
export interface PersonIdentity {
  id: string;
  firstName: string;
  lastName: string;
  email: string | null;
  phone: string | null;
  companyId: string;
  companyName: string;
}

export interface Target {
  name: 'sandbox' | 'stub';
  url: string;
  key: string;
  stop(): Promise<void>;

  answer(fault: Fault): Promise<void>;
  answerLimit(fault: LimitFault): Promise<void>;
  /** Adds a number to the total of each search. */
  addToTotals(by: number): Promise<void>;
  clearFaults(): Promise<void>;
  /** Sets the daily quota and its used part. */
  setQuota(quota: { dailyLimit: number; used?: number }): Promise<void>;
  /** Sets the permissions of the key. */
  allow(...permissions: Permission[]): Promise<void>;
  /** Advances the market by some days. */
  advanceDay(days?: number): Promise<void>;

  /** Requests so far, of a route such as `GET /v2/companies/{id}` or all. */
  requests(route?: string): Promise<number>;
  /** Number of requests to which the present faults were applied. Faults that were cleared do not count. */
  faultsMet(): Promise<number>;
  /** Requests answered with the daily limit. */
  dailyLimitAnswers(): Promise<number>;
  /** Data calls counted by the daily quota. */
  quotaUsed(): Promise<number>;
  /** Names of a permission in version 2 errors. */
  namesOf(permission: Permission): { permission: string; module: string; app: string };

  truthOf(day: number): MarketTruth;
  /** Compares published companies, reports and members with the market of the current day. */
  expectMarketEqualsTruth(project: Project): Promise<void>;
  expectTendersEqualTruth(project: Project): Promise<void>;
  /** Compares the executives; needs `personalData: contacts`. */
  expectExecutivesEqualTruth(project: Project): Promise<void>;
  /** Compares the employees; needs `personalData: contacts`. */
  expectEmployeesEqualTruth(project: Project): Promise<void>;
  /** Companies whose details the API has, with what identifies them. */
  identities(): Identity[];
  /** People of these companies. */
  people(): PersonIdentity[];
  /** Decision of a check of a payee without a company; null if the API says another word. */
  decisionOf(payee: { country_code: string; id: string }): string | null;
  /** Names, e-mail addresses and phone numbers of the market's people. */
  personalMarkers(): string[];
  /** Compares the company records of version 1, and how they differ from version 2. */
  expectCompaniesV1EqualTruth(project: Project): Promise<void>;
  /** Tickers with a report by year, and tickers whose answer has another shape. */
  tickers(): { readable: { ticker: string; country: string }[]; unreadable: string[] };
  /** Compares the values of exactly these tickers. */
  expectTickersEqualTruth(project: Project, tickers: readonly string[]): Promise<void>;
  /** Uses contact data of some people, so that the API counts it. */
  useContacts(): Promise<void>;
  /** Compares the contact metrics of exactly these days, in order. */
  expectContactMetricsEqualTruth(project: Project, days: readonly string[]): Promise<void>;
  /**
   * Compares the owners asked for with a threshold of 25 %; needs `personalData: contacts`.
   * @param resolved whether a finished job has resolved the ownership of every company
   */
  expectOwnersEqualTruth(project: Project, resolved: boolean): Promise<void>;
  /** Names and days of birth of the market's owners. */
  ownerMarkers(): string[];
  /** Number of companies whose owners the API does not know conclusively without a job. */
  inconclusiveOwners(): number;
  /** Jobs about owners that the API has started. */
  jobsStarted(): Promise<number>;
  /** Moves the clock of all jobs about owners forward. A job takes six hours. */
  advanceJobs(hours: number): Promise<void>;
  /** Compares the numbers from version 1. */
  expectV1FinancialsEqualTruth(project: Project): Promise<void>;
}

export const TARGET = readTarget(process.env['TIDEMARK_TEST_TARGET']);

function readTarget(name = 'sandbox'): Target['name'] {
  if (name !== 'sandbox' && name !== 'stub') throw new Error(`TIDEMARK_TEST_TARGET is sandbox or stub, not ${name}`);
  return name;
}

export async function startTarget(market: MarketOptions): Promise<Target> {
  return TARGET === 'stub' ? startStubTarget(market) : startSandboxTarget(market);
}
