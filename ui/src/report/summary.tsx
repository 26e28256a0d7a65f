import type { JSX } from 'preact';
import type { ReportFacts } from '../../../schemas/pipeline/report.js';
import { Card } from '../components/basics.js';
import { count } from '../lib/format.js';

/** Says whether anything needs attention, and counts what is open. */
export function Summary({ facts }: { facts: ReportFacts }): JSX.Element {
  const { runs, rejects, drift } = facts;
  const troubles = troublesOf(facts);
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  const kinds = [...new Set(drift.map(({ kind }) => kind))];
  return (
    <>
      <h1>{headline(facts, troubles)}</h1>
      <p class="lead">{lead(runs[0], troubles)}</p>
      <div class="cards">
        <Card
          name="Open rejects"
          value={count(sum(rejects.map(({ standing }) => standing)))}
          more={`${count(sum(rejects.map(({ resolved }) => resolved)))} resolved by a later answer`}
        />
        <Card
          name="Schema drift"
          value={count(drift.length)}
          more={
            kinds.length === 0
              ? 'all answers match the reference'
              : kinds.map((kind) => `${drift.filter((one) => one.kind === kind).length} × ${kind}`).join(', ')
          }
        />
      </div>
    </>
  );
}

function headline({ runs, coverage }: ReportFacts, troubles: string[]): string {
  if (runs.length === 0) return 'No run is recorded yet';
  if (troubles.length > 1) return `${troubles.length} problems`;
  return troubles[0] ?? (coverage.length === 0 ? 'Nothing needs attention' : 'All markets complete');
}

function lead(latest: ReportFacts['runs'][number] | undefined, troubles: string[]): string {
  if (latest === undefined) return 'Start the first run with tidemark snapshot.';
  if (troubles.length > 1) return `${troubles.join('. ')}.`;
  const { workflow_id, outcome, requests, rows } = latest;
  return `The latest run, ${workflow_id}, ended ${outcome} with ${count(requests)} requests and ${count(rows)} answers.`;
}

const ENDED: Readonly<Record<string, string>> = {
  partial: 'is partial',
  stopped: 'was stopped',
  failed: 'failed',
  cancelled: 'was cancelled',
};

function troublesOf({ runs, coverage, checks }: ReportFacts): string[] {
  const isShort = (of: string | null): boolean => coverage.some(({ market, missing }) => market === of && missing > 0);
  // The newest run of each kind and market; runs are sorted by time.
  const newest = [...new Map(runs.toReversed().map((run) => [`${run.type} ${run.market ?? ''}`, run])).values()];
  return [
    ...newest
      .filter(({ outcome, market, held_back }) => outcome !== 'partial' || !(held_back !== null || isShort(market)))
      .flatMap(({ workflow_id, outcome }) => (outcome in ENDED ? [`${workflow_id} ${ENDED[outcome]}`] : [])),
    ...newest
      .filter(({ held_back }) => held_back !== null)
      .map(({ market }) => `${market ?? 'A market'} was held back, so readers still see the night before`),
    ...coverage
      .filter(({ missing }) => missing > 0)
      .map(({ market, missing }) => `${count(missing)} companies of ${market} are missing`),
    // Values that stay as text are counted, but the night is no worse for them.
    ...checks
      .filter(({ check }) => !check.endsWith('_not_parsed'))
      .map(({ model, check, failing_rows }) => `Audit ${check} of ${model} found ${count(failing_rows)} wrong rows`),
  ];
}
