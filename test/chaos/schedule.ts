import { generator } from '../../bench/planner/random.js';

/** What strikes a running night. A limit is lifted again, a full disk has room again; what is killed is started again. */
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

/** A strike, and for how many milliseconds its victim has worked before it falls. */
export interface Planned {
  after: number;
  strike: Strike;
}

export interface ScheduleOptions {
  seed: number;
  /** How many strikes. */
  strikes: number;
  /** Which kinds; each comes once before one comes again. */
  kinds?: readonly Strike[] | undefined;
}

const SHORTEST_MS = 300;
const LONGEST_MS = 2_000;

/** The strikes of a seed, always the same ones. */
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
