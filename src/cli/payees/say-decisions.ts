import { say } from '../terminal/print.js';
import { sayTable } from '../terminal/say-table.js';
import type { KnownPayees } from './known-answers.js';
import type { HashedList } from './result-file.js';

/** Counts the rows of the list by decision. */
export function countDecisions({ rows }: HashedList, { answers }: KnownPayees): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { hash } of rows) {
    const answer = hash === null ? undefined : answers.get(hash);
    const word = hash === null ? 'rejected' : answer === undefined ? 'no answer' : (answer.decision ?? 'no decision');
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

/** Prints how many rows of the list have each decision. */
export function sayDecisions(list: HashedList, known: KnownPayees, out: string): void {
  const counts = Object.entries(countDecisions(list, known)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  sayTable({ columns: ['decision', 'rows'], rows: counts });
  say(`Result: ${out}`);
}
