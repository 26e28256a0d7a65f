import { expect, it } from 'vitest';
import { lastRuns, type FinishedRun } from '../../../../src/serve/metrics/runs.js';

const run = (market: string, finishedAt: number, outcome: string): FinishedRun => ({
  workflowType: 'marketSnapshot',
  market,
  outcome,
  heldBack: false,
  finishedAt,
  seconds: 1,
});

it('takes the last run of each market', () => {
  const known = [run('a', 2, 'failed'), run('b', 1, 'complete'), run('a', 1, 'complete')];
  expect(lastRuns(known, [])).toEqual([run('b', 1, 'complete'), run('a', 2, 'failed')]);
});

it('takes the run from the warehouse if Temporal has forgotten it', () => {
  expect(lastRuns([run('b', 9, 'complete')], [run('a', 1, 'partial')])).toEqual([
    run('a', 1, 'partial'),
    run('b', 9, 'complete'),
  ]);
});

it('prefers a run that Temporal knows, even if a shifted clock gave the published run a later time', () => {
  expect(lastRuns([run('a', 1, 'failed')], [run('a', 9, 'complete')])).toEqual([run('a', 1, 'failed')]);
});
