import type { QuotaStatus, QuotaWaiter } from '../../schemas/pipeline/activities.js';
import type { QuotaGateState } from '../../schemas/pipeline/carried.js';
import { inLine, isWaiter, roomFor } from '../quota-room.js';

// Longest wait between two attempts to wake a run when the API gives no quota figure.
const LONGEST_PAUSE_SECONDS = 3_600;
// After this many consecutive quota readings that failed for good, release all runs. Their own requests then show the
// cause.
const REFUSALS_AT_MOST = 5;

/**
 * The whole state of the quota gate, carried over continue-as-new.
 *
 * States and transitions. Each quota reading makes one transition (`judgeReading`):
 * - polling: the API gives a quota figure. The gate reads it every `probeEverySeconds` and releases every run that may
 *   send requests.
 * - trying: the API gives no figure. The gate wakes one run (`trying`) and doubles the wait. If this run returns to
 *   the gate, the gate tries again. If it does not return, the gate releases all runs.
 * - refused: the reading failed, and a retry would not help. For example, the API refused it, or no worker has the data
 *   folder of the run. The gate reads again later. After the 5th consecutive failure, it releases all runs.
 * - empty: no run waits. The gate ends.
 */
export type GateState = QuotaGateState;

/**
 * What the gate does after a quota reading.
 * - `release`: wakes the listed runs in their order.
 * - `try`: wakes one run to find out whether the API answers it.
 * - `wait`: wakes no run.
 */
export type GateMove = { kind: 'release'; runs: QuotaWaiter[] } | { kind: 'try' } | { kind: 'wait' };

/** The state of a new gate. */
export const NEW_GATE: GateState = { waiting: [], pause: null, trying: null, refusals: 0 };

/**
 * Adds a run to the waiting runs. A run that enters again keeps its place. A signal without a valid waiter changes
 * nothing.
 */
export function enterLine(state: GateState, sent: unknown): GateState {
  // Anyone can send this signal. A malformed waiter would make the gate fail for every run that waits.
  if (!isWaiter(sent)) return state;
  const { waiting } = state;
  const place = waiting.findIndex(({ ctx }) => ctx.workflowId === sent.ctx.workflowId);
  return { ...state, waiting: place < 0 ? [...waiting, sent] : waiting.with(place, sent) };
}

/** Removes a run from the waiting runs. */
export function leaveLine(state: GateState, workflowId: string): GateState {
  return { ...state, waiting: state.waiting.filter(({ ctx }) => ctx.workflowId !== workflowId) };
}

/**
 * Returns the run whose context is used for the next quota reading, and the seconds until that reading. Null when no
 * run waits.
 */
export function nextReading(state: GateState): { first: QuotaWaiter; wait: number } | null {
  const [first] = inLine(state.waiting);
  return first ? { first, wait: state.pause ?? first.ctx.probeEverySeconds } : null;
}

/**
 * Decides what the gate does after a quota reading, and its next state.
 * @param reading result of `nextReading` before the wait
 * @param status null when the reading failed and a retry would not help
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
  // The woken run did not return to the gate, so the API answers again: release all runs.
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
