/** Number of company records that the API had answered at an instant (milliseconds). */
export interface Count {
  at: number;
  answered: number;
}

/**
 * Returns the records per second between the first and the last answer.
 * @param counts in the order of their instants; at least one count lies between the first and the last answer
 */
export function rateOf(counts: readonly Count[]): number {
  const last = counts.at(-1)?.answered ?? 0;
  const begun = counts.find(({ answered }) => answered > 0);
  const ended = counts.find(({ answered }) => answered === last);
  if (begun === undefined || ended === undefined || ended.at === begun.at) throw new Error('too few counts');
  return ((ended.answered - begun.answered) * 1_000) / (ended.at - begun.at);
}
