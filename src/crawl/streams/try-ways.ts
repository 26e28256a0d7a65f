import { kindOf } from '../judge/kinds.js';

/** Why no way was enough. */
export interface Unanswered {
  /** A way was refused or closed. It could have been enough, so "not found" would be wrong. */
  denied?: Error;
  /** The API answered "not found", or rejected the request. */
  missed?: Error;
}

/**
 * Tries one way after another to find something.
 * @param send sends the requests of a way; returns whether their answers are enough
 * @throws errors that say nothing about the single way
 */
export async function tryWays<Way>(ways: readonly Way[], send: (way: Way) => Promise<boolean>): Promise<Unanswered> {
  const reasons: Unanswered = {};
  let rejected: Error | undefined;
  for (const way of ways) {
    try {
      if (await send(way)) return {};
    } catch (thrown) {
      const error = thrown as Error;
      const kind = kindOf(error);
      if (kind === 'gone') reasons.missed = error;
      else if (kind === 'invalid') rejected ??= error;
      else if (kind === 'refused') reasons.denied = error;
      else if (kind === 'closed') reasons.denied ??= error;
      else throw error;
    }
  }
  const missed = reasons.missed ?? rejected;
  return missed === undefined ? reasons : { ...reasons, missed };
}
