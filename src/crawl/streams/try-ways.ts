import { kindOf } from '../judge/kinds.js';

/** What the ways have found so far. */
export interface Found<Answer> {
  /** Answers that name what was looked for. */
  some?: Answer;
  /** The last answer that names nothing. */
  none?: Answer;
}

/**
 * Tries one way after another to find something.
 * @param send sends the requests of a way, and notes the answers in `found`. Returns whether they are enough
 * @returns the answers that name something; if there are none, the last answer, which names nothing
 * @throws NotFoundError when every answer was "not found"
 * @throws InvalidRequestError or AutocompleteFieldError when the API rejected every request
 * @throws the API's error or RoutesClosedError, when the API refused a way and no other way found something. That way
 * could have been enough, so "not found" would be wrong
 * @throws errors that say nothing about the single way
 */
export async function tryWays<Way, Answer>(
  ways: readonly Way[],
  send: (way: Way, found: Found<Answer>) => Promise<boolean>,
): Promise<Answer> {
  const found: Found<Answer> = {};
  let denied: Error | undefined;
  let missed: Error | undefined;
  let rejected: Error | undefined;
  for (const way of ways) {
    try {
      if (await send(way, found)) break;
    } catch (thrown) {
      const error = thrown as Error;
      const kind = kindOf(error);
      if (kind === 'gone') missed = error;
      else if (kind === 'invalid') rejected ??= error;
      else if (kind === 'refused') denied = error;
      else if (kind === 'closed') denied ??= error;
      else throw error;
    }
  }
  if (found.some !== undefined) return found.some;
  if (denied !== undefined) throw denied;
  if (found.none !== undefined) return found.none;
  throw missed ?? rejected ?? new Error('a question without anything to look up');
}
