import { DAY_MS } from './time.js';

/** A change of a zone's clock: summer time, or a new standard time. */
export interface ClockChange {
  /** First instant with the new offset, in ms since 1970. */
  at: number;
  /** Offsets from UTC in ms, before and after the change. */
  before: number;
  after: number;
}

/**
 * Returns a function that tells the offset of a zone from UTC in ms, at an instant in ms. The offsets come from the
 * IANA data of the JavaScript engine.
 */
export function offsetsOf(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1_000) * 1_000;
  };
}

/** Lists the changes of a zone's clock after `from` and up to `to`, both in ms. Misses two changes within a day. */
export function clockChanges(timeZone: string, from: number, to: number): ClockChange[] {
  const offsetAt = offsetsOf(timeZone);
  const changes: ClockChange[] = [];
  let before = offsetAt(from);
  for (let start = from; start < to; start += DAY_MS) {
    let end = Math.min(start + DAY_MS, to);
    const after = offsetAt(end);
    if (after === before) continue;
    // Binary search for the first instant with the new offset.
    for (let low = start; end - low > 1;) {
      const middle = Math.floor((low + end) / 2);
      if (offsetAt(middle) === before) low = middle;
      else end = middle;
    }
    changes.push({ at: end, before, after });
    before = after;
  }
  return changes;
}

/** The instants at which a clock shows a local time, in ms. */
export interface LocalInstants {
  first: number;
  last: number;
  /** `gap`: the clock skips this time; both instants are the skipped time later. `fold`: the clock shows it twice. */
  kind: 'once' | 'gap' | 'fold';
}

/**
 * Finds the instants at which a zone's clock shows a local time. If the clock skips the time, returns the instant at
 * which a clock that was not changed would show it.
 * @param local the local time as if it were UTC, in ms
 * @param offsetAt result of `offsetsOf`
 */
export function instantsOf(local: number, offsetAt: (instant: number) => number): LocalInstants {
  // Offsets are at most 14 hours, so a change around this time lies between these two instants.
  const offsets = [offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)];
  const found = [...new Set(offsets.map((offset) => local - offset))].filter((at) => at + offsetAt(at) === local);
  const [before = 0] = offsets;
  if (found.length === 0) return { first: local - before, last: local - before, kind: 'gap' };
  const [first, last] = [Math.min(...found), Math.max(...found)];
  return { first, last, kind: first === last ? 'once' : 'fold' };
}
