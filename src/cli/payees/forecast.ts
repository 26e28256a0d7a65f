import type { KnownAnswer } from './known-answers.js';
import { DAY_SECONDS } from '../../base/time/time.js';

/** Requests that a run of `checkPayees` is expected to send, without retries. */
export interface PayeeForecast {
  /** Payees that were never checked. */
  checks: number;
  /** Payees whose answer is old enough for another check. */
  rechecks: number;
  /** Payees whose answer is fresh: no check. */
  fresh: number;
  reports: number;
  requests: number;
}

/**
 * Forecasts the requests for some payees.
 * @param hashes question hash of each different payee
 * @param now in milliseconds since 1970
 */
export function forecastPayees(
  hashes: readonly string[],
  answers: ReadonlyMap<string, KnownAnswer>,
  { now, recheckAfterSeconds, reports }: { now: number; recheckAfterSeconds: number; reports: boolean },
): PayeeForecast {
  const forecast = { checks: 0, rechecks: 0, fresh: 0, reports: 0 };
  for (const hash of hashes) {
    const answer = answers.get(hash);
    const age = answer === undefined ? 0 : (now - Date.parse(answer.observed_at)) / 1000;
    // An answer dated more than a day in the future comes from a wrong clock (sql/due/payee_checks.sql): not fresh.
    const isFresh = answer !== undefined && age < recheckAfterSeconds && age >= -DAY_SECONDS;
    if (answer === undefined) forecast.checks++;
    else if (isFresh) forecast.fresh++;
    else forecast.rechecks++;
    if (reports && !(isFresh && isReported(answer))) forecast.reports++;
  }
  return { ...forecast, requests: forecast.checks + forecast.rechecks + forecast.reports };
}

/** True when no report is due: the check has a report and a decision, or it has no id (sql/due/payee_reports.sql). */
function isReported({ check_id, decision, observed_at, reported_at }: KnownAnswer): boolean {
  return check_id === null || (reported_at !== null && reported_at >= observed_at && decision !== null);
}
