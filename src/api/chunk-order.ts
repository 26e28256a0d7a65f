import { setMaxListeners } from 'node:events';

/** A chunk in progress. */
interface Member {
  active: number;
  waiting: (() => void)[];
}

/**
 * Gives the records of earlier chunks precedence over those of later ones. Otherwise all chunks of a worker would end
 * at the same time, and no request would be in flight while their parts are written.
 *
 * Chunks are ordered by their calls of `join`. The first chunk starts its records without delay. A later chunk starts a
 * record only while all chunks together work on fewer than `limit` records.
 */
export class ChunkOrder {
  #limit: number;
  readonly #members: Member[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Changes the number of records on which all chunks together may work. */
  setLimit(limit: number): void {
    this.#limit = limit;
    this.#wake();
  }

  /** Adds a chunk. Call `leave` when it ends. */
  join(): ChunkTurn {
    const member: Member = { active: 0, waiting: [] };
    this.#members.push(member);
    return {
      run: async (signal, work) => {
        while (!this.#mayStart(member)) await wait(member, signal);
        member.active++;
        try {
          return await work();
        } finally {
          member.active--;
          this.#wake();
        }
      },
      leave: () => {
        this.#members.splice(this.#members.indexOf(member), 1);
        this.#wake();
      },
    };
  }

  #mayStart(member: Member): boolean {
    return this.#members[0] === member || this.#free > 0;
  }

  get #free(): number {
    return this.#limit - this.#members.reduce((sum, { active }) => sum + active, 0);
  }

  /** Lets as many records start as there is room for, those of the earliest chunk first. */
  #wake(): void {
    let free = this.#free;
    for (const [index, { waiting }] of this.#members.entries()) {
      const count = index === 0 ? waiting.length : Math.max(0, free);
      for (const start of waiting.splice(0, count)) {
        start();
        free--;
      }
    }
  }
}

/** The place of one chunk in a `ChunkOrder`. */
export interface ChunkTurn {
  /**
   * Waits until the chunk may start one more record, then runs `work`.
   * @throws the reason of the signal, if it is aborted before
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  leave(): void;
}

/** For workers that do not order their chunks. */
export const WITHOUT_ORDER: ChunkTurn = { run: (_, work) => work(), leave: () => undefined };

async function wait({ waiting }: Member, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  // All waiting records of a chunk share one signal. Switch off Node's warning about many listeners.
  setMaxListeners(0, signal);
  await new Promise<void>((resolve, reject) => {
    const start = (): void => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const stop = (): void => {
      waiting.splice(waiting.indexOf(start), 1);
      reject(signal.reason as Error);
    };
    waiting.push(start);
    signal.addEventListener('abort', stop, { once: true });
  });
}
