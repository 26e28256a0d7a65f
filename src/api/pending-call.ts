/** What a call waits for now, such as its turn or its answer. */
export interface Stage {
  /** Ends the wait, because the signal of the call aborted. */
  abort(): void;
}

/** The calls of one signal that have not ended. They share one listener, because each listener costs time. */
class Group {
  static #last = 0;
  /** Place of the signal in the order in which signals came first, from 1. */
  readonly rank = ++Group.#last;
  /** An array: a Set would keep the calls that left until the next full garbage collection. */
  readonly calls: PendingCall[] = [];

  handleEvent(): void {
    for (const { stage } of this.calls) stage?.abort();
  }
}

const groups = new WeakMap<AbortSignal, Group>();

/** A call from its beginning to its end, retries included. */
export class PendingCall {
  /** What an abort ends. Check the signal, too: an earlier abort does not end this. */
  stage: Stage | null = null;
  readonly #group: Group;
  #place: number;

  constructor(readonly signal: AbortSignal | undefined) {
    const known = signal && groups.get(signal);
    this.#group = known ?? new Group();
    if (signal && known === undefined) groups.set(signal, this.#group);
    this.#place = this.#group.calls.push(this) - 1;
    if (this.#place === 0) signal?.addEventListener('abort', this.#group);
  }

  /** Calls with a lower rank go first. All calls of a signal have the same rank. */
  get rank(): number {
    return this.#group.rank;
  }

  /** Leaves the signal. Call this once. */
  end(): void {
    const { calls } = this.#group;
    // The last call takes the place of this one.
    const last = calls.pop()!;
    if (last !== this) calls[(last.#place = this.#place)] = last;
    if (calls.length === 0) this.signal?.removeEventListener('abort', this.#group);
  }
}
