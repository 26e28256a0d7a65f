import type { Project } from './project.js';
import { startSandboxTarget } from './target-sandbox.js';
import { startStubTarget } from './target-stub.js';

/*
 * The API that end-to-end tests run against: the sandbox, or with TIDEMARK_TEST_TARGET=stub the independent stub
 * (test/stub), which answers differently wherever the reference is silent. Tests ask for what happens in terms of the API;
 * each target says it in its own statuses, bodies and names.
 */

export interface MarketOptions {
  companies: number;
  tenders: number;
  /** Another seed gives another market. The stub has one only. */
  seed?: number;
  /** Calendar date of day 0. The stub has no calendar. */
  date?: string;
  /** Largest page; each target has its own otherwise. */
  maxPerPage?: number;
  /** The last companies of the market that no filter separates. */
  clones?: number;
  /** Milliseconds before each answer. */
  latency?: number;
  /** Data calls a day; no limit when left out. */
  dailyLimit?: number;
  /** What the key may do; everything when left out. */
  permissions?: readonly Permission[];
}

export type Permission = 'prospecting' | 'company_details' | 'financials' | 'tenders' | 'watching';

/** What requests meet whose path begins with `route`, until `clearFaults`. */
export interface Fault {
  route: string;
  /** This many requests pass first. */
  skip?: number;
  /** Number of requests it meets at most. */
  times?: number;
  /** Status and body in place of the usual answer. */
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Milliseconds before the answer. */
  latency?: number;
}

/** A LimitError, with the status that the target has for it. */
export interface LimitFault extends Pick<Fault, 'route' | 'skip'> {
  guard: 'limit' | 'limits.daily';
  access: Record<string, string>;
  message: string;
  retryAfterSeconds?: number;
}

/** The market on a day; ids as the warehouse writes them. */
export interface MarketTruth {
  companyIds: string[];
  hasDetails: (id: string) => boolean;
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
  /** Sets the size of the daily quota, and how much of it is used. */
  setQuota(quota: { dailyLimit: number; used?: number }): Promise<void>;
  /** Sets what the key may do from now on. */
  allow(...permissions: Permission[]): Promise<void>;
  /** Moves the market on by some days. */
  advanceDay(days?: number): Promise<void>;

  /** Requests so far, of a route such as `GET /v2/companies/{id}`, or of all. */
  requests(route?: string): Promise<number>;
  /** Requests that faults met, of the faults that are not cleared. */
  faultsMet(): Promise<number>;
  /** Requests answered with the daily limit. */
  dailyLimitAnswers(): Promise<number>;
  /** Data calls that the daily quota counts. */
  quotaUsed(): Promise<number>;
  /** Names of a permission in errors of version 2. */
  namesOf(permission: Permission): { permission: string; module: string; app: string };

  truthOf(day: number): MarketTruth;
  /** Compares companies, reports and members in the published file with the market of the current day. */
  expectMarketEqualsTruth(project: Project): Promise<void>;
  expectTendersEqualTruth(project: Project): Promise<void>;
  /** Compares the numbers that came from version 1. */
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
