import type { Refusal } from '../../schemas/pipeline/refusal.js';
import { formatCount } from '../../schemas/format.js';
import { refusalInWords } from '../../workflows/run/describe.js';
import type { Published } from '../warehouse/builds/published.js';
import { atMostFive } from './terminal/at-most-five.js';

/** The last run of a workflow type and market that the published file knows. */
export interface LastRun {
  run_id: string;
  workflow_id: string;
  workflow_type: string;
  market: string | null;
  date: string;
  outcome: string;
  finished_at: string | null;
  requests: number;
  held_back: string | null;
  /** Null for runs that searched no market. */
  distinct_companies: number | null;
  reported_total: number | null;
  /** JSON as in ops.runs; null if no stream was refused. */
  refused: string | null;
  /** What is missing now, one sentence for each reason. */
  why: string[];
  /** True for a partial run if later runs fetched everything that it missed. */
  is_mended: boolean;
}

const LAST_RUNS = `
SELECT run_id, workflow_id, workflow_type, r.market, date, outcome, finished_at, requests, held_back, distinct_companies, reported_total,
  CAST(r.refused AS VARCHAR) AS refused,
  coalesce(list_transform(TRY_CAST(r.why AS JSON[]), lambda item: item ->> '$.reason'), []) AS why,
  outcome = 'partial' AND r.why IS NULL AS is_mended
FROM ops.runs AS r
LEFT JOIN ops.coverage AS c ON c.run = r.run_id AND c.market = r.market
QUALIFY row_number() OVER (PARTITION BY workflow_type, r.market ORDER BY started_at DESC) = 1
ORDER BY started_at DESC`;

/** Reads the last run of each workflow type and market, newest first. */
export async function readLastRuns(published: Published): Promise<LastRun[]> {
  return published.objects<LastRun>(LAST_RUNS);
}

/**
 * Describes a run: its outcome in one line, then what is missing and what helps, then remarks.
 * @param error why the run failed, as Temporal says; null: only the file knows why
 */
export function describeLastRun(
  run: LastRun,
  error: string | null,
): { line: string; warnings: string[]; remarks: string[] } {
  const what = [run.workflow_type, run.market, run.date].filter((part) => part !== null).join(' ');
  const heldBack = run.held_back === null ? '' : ', held back';
  const requests = run.outcome === 'running' ? '' : `, ${formatCount(run.requests)} requests`;
  const held = run.held_back;
  const known = [...run.why.filter((reason) => reason !== held), ...refusalsOf(run).map(refusalInWords)];
  const why = error === null ? [...new Set(known)] : [error];
  return {
    line: `${what}: ${run.outcome}${heldBack}${renderReached(run)}${requests}`,
    warnings: [
      ...(held === null ? [] : [`${held} ${heldBackTodo(run)}`]),
      ...atMostFive(why, `tidemark coverage${ofMarket(run)}`),
    ],
    remarks: run.is_mended ? ['A later run fetched what was missing.'] : [],
  };
}

function refusalsOf({ refused }: LastRun): Refusal[] {
  return (refused === null ? null : (JSON.parse(refused) as Refusal[] | null)) ?? [];
}

function ofMarket({ market }: LastRun): string {
  return market === null ? '' : ` --market ${market}`;
}

function heldBackTodo(run: LastRun): string {
  return `To see the gaps: \`tidemark coverage${ofMarket(run)}\`. To repeat the night: \`tidemark snapshot${ofMarket(run)}\`.`;
}

/** Renders the coverage of a run that is not complete: `, 5,702 of 6,000 companies`. */
function renderReached({ outcome, distinct_companies, reported_total }: LastRun): string {
  if (outcome === 'complete' || distinct_companies === null || reported_total === null) return '';
  return `, ${formatCount(distinct_companies)} of ${formatCount(reported_total)} companies`;
}
