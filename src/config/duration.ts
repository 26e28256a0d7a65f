import { DAY_SECONDS } from '../base/time/time.js';

const SECONDS = { s: 1, m: 60, h: 3_600, d: DAY_SECONDS } as const;

/** Converts `30s`, `15m`, `2h` or `30d` to seconds; null for another text. Does not check `LONGEST_DURATION`. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d+)(s|m|h|d)$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * SECONDS[unit as keyof typeof SECONDS];
}
