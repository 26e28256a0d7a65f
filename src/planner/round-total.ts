import type { AxisFacts } from './axis-facts.js';
import { firstUsable } from './choose-axis.js';
import type { CrawlState } from './crawl-state.js';
import { halve } from './shape.js';
import { probing } from './questions.js';
import type { Task } from './tasks.js';
import { isRefused, type Window } from './types.js';

// Where totals end, they end at a number like 10,000; hardly any market has exactly so many companies.
const ROUND = 1_000;
// Two halves may hold this much more than the whole because companies came in between.
const SURPLUS = 0.01;

/**
 * Whether the market's total is no count but the number where totals end. Only a round one is doubted, and put to the
 * test: two halves of a dimension that together hold more than the whole. Noted in the state.
 */
export function* endsAtRoundTotal(state: CrawlState): Task<boolean> {
  const { root } = state.tree;
  if (root.total % ROUND !== 0) return false;
  const facts = yield* firstUsable(state);
  if (!facts?.axis.windows || facts.axis.overlapping) return false;
  const probe = probing(state, facts.axis);
  let sum = 0;
  for (const half of halvesOf(facts)) {
    const answer = yield* probe(half);
    sum += isRefused(answer) ? 0 : answer.total;
  }
  if (sum > root.total * (1 + SURPLUS)) state.noteCappedTotals(root.total);
  return root.total >= state.totalsCap;
}

/** The two windows that calibration asks first, so that a cold search asks them once. */
function halvesOf({ axis }: AxisFacts): [Window, Window] {
  const middle = axis.ordered ? halve(axis, { from: axis.lo, to: axis.hi }) : Math.floor((axis.hi - 1) / 2);
  return [
    { from: axis.lo, to: middle },
    { from: middle + 1, to: axis.hi },
  ];
}
