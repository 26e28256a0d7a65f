import { generator } from '../../../bench/planner/random.js';

/** Processes started together in each round. */
export const ACTORS = [
  'worker A',
  'worker B',
  'receiver A',
  'receiver B',
  'snapshot',
  'publish --to',
  'replay',
  'compact',
  'models apply',
] as const;
export type ActorName = (typeof ACTORS)[number];

/** Servers run for the whole round; the other processes soon end. */
export function isServer(actor: ActorName): boolean {
  return actor.startsWith('worker') || actor.startsWith('receiver') || actor === 'snapshot';
}

/** A signal for one process, some time after it started work. A frozen process continues after `frozenMs`. */
export interface PlannedStrike {
  target: ActorName;
  signal: 'SIGKILL' | 'SIGSTOP';
  afterMs: number;
  frozenMs: number;
}

export interface Round {
  /** Start time of each process, in milliseconds from the start of the round. */
  starts: Record<ActorName, number>;
  strikes: PlannedStrike[];
  /** How the servers still running at the end are stopped. */
  end: 'SIGTERM' | 'SIGKILL';
}

// Commands take seconds and a run takes longer, so commands meet every stage of the run.
const SERVERS_START_WITHIN_MS = 3_000;
const COMMANDS_START_WITHIN_MS = 14_000;
// Servers are struck at any time of the run; commands early, because they soon end.
const STRIKE_SERVER_WITHIN_MS = 12_000;
const STRIKE_COMMAND_WITHIN_MS = 1_500;
const LONGEST_FREEZE_MS = 4_000;
// Longer than heartbeat timeouts and leases: a frozen process is considered dead and then returns.
const LONG_FREEZE_MS = 35_000;
const LONG_FREEZE_SHARE = 0.08;

/** Yields the rounds of a seed; always the same ones. */
export function* planRounds(seed: number): Generator<Round, never> {
  const random = generator(seed);
  const within = (ms: number): number => Math.round(ms * random());
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)]!;
  for (;;) {
    const starts = Object.fromEntries(
      ACTORS.map((actor) => [actor, within(isServer(actor) ? SERVERS_START_WITHIN_MS : COMMANDS_START_WITHIN_MS)]),
    ) as Round['starts'];
    // One process of each pair survives, so that the round ends.
    const worker = pick(['worker A', 'worker B'] as const);
    const receiver = pick(['receiver A', 'receiver B'] as const);
    const hat: ActorName[] = [worker, receiver, 'snapshot', 'publish --to', 'replay', 'compact', 'models apply'];
    const targets = Array.from({ length: 3 + within(2) }, () => hat.splice(Math.floor(random() * hat.length), 1)[0]!);
    const strikes = targets.map((target): PlannedStrike => ({
      target,
      signal: random() < 0.75 ? 'SIGKILL' : 'SIGSTOP',
      afterMs: isServer(target) ? within(STRIKE_SERVER_WITHIN_MS) : within(within(STRIKE_COMMAND_WITHIN_MS)),
      frozenMs: random() < LONG_FREEZE_SHARE ? LONG_FREEZE_MS : within(LONGEST_FREEZE_MS),
    }));
    yield { starts, strikes, end: random() < 0.6 ? 'SIGTERM' : 'SIGKILL' };
  }
}
