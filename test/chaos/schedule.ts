import { generator } from '../../bench/planner/random.js';

/** Kinds of strikes. Limits and full disks end after a while; killed processes are restarted. */
export const STRIKES = [
  'kill worker',
  'terminate worker',
  'kill temporal',
  'kill sandbox',
  'full disk',
  'daily limit',
  'too much at once',
] as const;
export type Strike = (typeof STRIKES)[number];

/** A strike, and how many milliseconds its victim works before it. */
export interface Planned {
  after: number;
  strike: Strike;
}

export interface ScheduleOptions {
  seed: number;
  /** How many strikes. */
  strikes: number;
  /** Kinds to use. Each occurs once before any is repeated. */
  kinds?: readonly Strike[] | undefined;
}

const SHORTEST_MS = 300;
const LONGEST_MS = 2_000;

/** Returns the strikes of a seed; always the same ones. */
export function scheduleOf({ seed, strikes, kinds = STRIKES }: ScheduleOptions): Planned[] {
  const random = generator(seed);
  const planned: Planned[] = [];
  let hat: Strike[] = [];
  while (planned.length < strikes) {
    if (hat.length === 0) hat = [...kinds];
    const [strike] = hat.splice(Math.floor(random() * hat.length), 1);
    const after = Math.round(SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * random());
    if (strike) planned.push({ after, strike });
  }
  return planned;
}
