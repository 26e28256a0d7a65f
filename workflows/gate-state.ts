import type { QuotaStatus, QuotaWaiter } from '../schemas/pipeline/activities.js';
import type { QuotaGateState } from '../schemas/pipeline/carried.js';
import { inLine, isWaiter, roomFor, secondsToReset } from './quota-room.js';

// Longest wait between two tries when the API gives no quota figure.
const LONGEST_PAUSE_SECONDS = 3_600;
// After this many consecutive failed quota readings, let the runs find the cause themselves.
const REFUSALS_AT_MOST = 5;

/**
 * The whole state of the quota gate, carried over continue-as-new.
 *
 * States and transitions; each quota reading makes one transition (`judgeReading`):
 * - polling: the gate reads the quota every `probeEverySeconds`. If the figure is known, release every run that may
 *   send requests.
 * - until reset: no figure, but a reset time. The gate reads the quota again at the reset.
 * - trying: neither a figure nor a reset time. The gate wakes one run (`trying`) and doubles the wait. If this run does
 *   not return to the gate, release all runs; if it returns, try again.
 * - refused: the API refused the reading. Read again later; after the 5th consecutive refusal, release all runs.
 * - empty: no run waits. The gate ends.
 */
export type GateState = Required<QuotaGateState>;

/**
 * The gate's move after a quota reading.
 * - `release`: wakes the listed runs in their order.
 * - `try`: wakes one run, to see whether the API answers it.
 * - `wait`: wakes no run.
 */
export type GateMove = { kind: 'release'; runs: QuotaWaiter[] } | { kind: 'try' } | { kind: 'wait' };

/** Returns the state of a new gate, or the state that an earlier execution carried over. */
export function openGate({ waiting = [], pause = null, trying = null, refusals = 0 }: QuotaGateState): GateState {
  return { waiting, pause, trying, refusals };
}

/**
 * Adds a run to the waiting runs. A run that enters again keeps its place. Ignores a signal that is not a valid waiter.
 */
export function enterLine(state: GateState, sent: unknown): GateState {
  // Anyone can send this signal. A malformed waiter would fail the gate for every run that waits.
  if (!isWaiter(sent)) return state;
  const { waiting } = state;
  const place = waiting.findIndex(({ ctx }) => ctx.workflowId === sent.ctx.workflowId);
  return { ...state, waiting: place < 0 ? [...waiting, sent] : waiting.with(place, sent) };
}

/** Removes a run from the waiting runs. */
export function leaveLine(state: GateState, workflowId: string): GateState {
  return { ...state, waiting: state.waiting.filter(({ ctx }) => ctx.workflowId !== workflowId) };
}

/** Returns the run for which to read the quota, and the seconds until that reading. Null when no run waits. */
export function nextReading(state: GateState): { first: QuotaWaiter; wait: number } | null {
  const [first] = inLine(state.waiting);
  return first ? { first, wait: state.pause ?? first.ctx.probeEverySeconds } : null;
}

/**
 * Decides the next state and move after a quota reading.
 * @param reading what `nextReading` returned before the wait
 * @param status null when the API refused the reading
 */
export function judgeReading(
  state: GateState,
  { first, wait }: { first: QuotaWaiter; wait: number },
  status: QuotaStatus | null,
): { state: GateState; move: GateMove } {
  if (status === null) {
    const refusals = state.refusals + 1;
    return refusals >= REFUSALS_AT_MOST
      ? releaseAll(state)
      : { state: { ...state, pause: null, refusals }, move: { kind: 'wait' } };
  }
  const answered = { ...state, refusals: 0 };
  if (status.known) {
    const runs = inLine(state.waiting).filter(({ ctx }) => roomFor(status, ctx) > 0);
    return { state: { ...answered, pause: null, trying: null }, move: { kind: 'release', runs } };
  }
  const reset = secondsToReset(status);
  // No figure, but a known reset time: wait until then.
  if (reset !== null) return { state: { ...answered, pause: reset, trying: null }, move: { kind: 'wait' } };
  // The run that tried did not return to the gate, so the API answers again: release all runs.
  if (state.trying !== null && !isWaiting(state, state.trying)) return releaseAll(answered);
  const pause = state.trying === null ? first.ctx.probeEverySeconds : Math.min(LONGEST_PAUSE_SECONDS, 2 * wait);
  return { state: { ...answered, pause }, move: { kind: 'try' } };
}

/** Stores the workflow id of the run that the gate woke (`trying`); null when no run could be woken. */
export function noteTry(state: GateState, trying: string | null): GateState {
  return { ...state, trying };
}

function releaseAll(state: GateState): { state: GateState; move: GateMove } {
  return {
    state: { ...state, pause: null, trying: null, refusals: 0 },
    move: { kind: 'release', runs: inLine(state.waiting) },
  };
}

function isWaiting({ waiting }: GateState, workflowId: string): boolean {
  return waiting.some(({ ctx }) => ctx.workflowId === workflowId);
}
