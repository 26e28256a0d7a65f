import type { DimensionFacts } from './calibration/dimension-facts.js';
import { firstUsable } from './calibration/choose-dimension.js';
import type { CrawlState } from './crawl-state.js';
import { halve } from './shape.js';
import { probing } from './questions.js';
import type { Task } from './tasks.js';
import { isRefused, type Window } from './types.js';

// APIs cap totals at round numbers like 10,000. Few markets have exactly this many companies.
const ROUND = 1_000;
// Allowed excess of the two halves' totals over the market's total, as a share. Companies may be added between two
// requests.
const SURPLUS = 0.01;

/**
 * Returns whether the market's total is a cap, not a count. Tests only round totals. Requests the totals of two halves
 * of a dimension: if these exceed the market's total together, the total is a cap. Then notes the cap in the state.
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
 * Returns the two halves of a dimension. Calibration requests the same two windows first, so a cold search sends each
 * of these requests only once.
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
