import type { DimensionFacts } from './calibration/dimension-facts.js';
import { firstUsable } from './calibration/choose-dimension.js';
import type { CrawlState } from './crawl-state.js';
import { halve } from './shape.js';
import { probing } from './questions.js';
import type { Task } from './tasks.js';
import { isRefused, type Window } from './types.js';
import { SURPLUS } from './tolerances.js';

// An API that caps totals probably caps them at a round number, such as 10,000. Few markets have exactly a round number
// of companies.
const ROUND = 1_000;

/**
 * Returns whether the API caps totals at the market's total. Tests only round totals. Requests the totals of the two
 * halves of a dimension. If they add up to more than the market's total, the API caps totals; records this in the
 * state.
 */
export function* endsAtRoundTotal(state: CrawlState): Task<boolean> {
  const { root } = state.tree;
  if (root.total % ROUND !== 0) return false;
  const facts = yield* firstUsable(state);
  if (!facts?.splitField.windows || facts.splitField.overlapping) return false;
  const probe = probing(state, facts.splitField);
  let sum = 0;
  for (const half of halvesOf(facts)) {
    const answer = yield* probe(half);
    sum += isRefused(answer) ? 0 : answer.total;
  }
  if (sum > root.total * (1 + SURPLUS)) state.noteCappedTotals(root.total);
  return root.total >= state.totalsCap;
}

/**
 * Returns the two halves of a dimension. Calibration also requests these two windows, so a cold search sends these
 * requests only once.
 */
function halvesOf({ splitField }: DimensionFacts): [Window, Window] {
  const middle = splitField.ordered
    ? halve(splitField, { from: splitField.lo, to: splitField.hi })
    : Math.floor((splitField.hi - 1) / 2);
  return [
    { from: splitField.lo, to: middle },
    { from: middle + 1, to: splitField.hi },
  ];
}
