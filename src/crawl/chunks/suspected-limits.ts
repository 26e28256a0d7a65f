import type { LimitError } from '../../api-client/index.js';

// After this many consecutive daily-limit errors, trust them over /v2/metrics.
const BELIEVED_IN_A_ROW = 10;
// A chunk gets this many calls that bring only suspected limits. In the last one, the records count as the cause.
const CALLS_AT_MOST = 3;

/**
 * Handles suspected limits: the API answers a record with the daily limit while /v2/metrics still shows quota. The
 * record waits, so that the other records need not wait for a limit that is not reached.
 *
 * States of a record: asked → answered or suspected; suspected → answered or filed as failed, after another try. If
 * /v2/metrics shows no quota, or after BELIEVED_IN_A_ROW consecutive errors, the limit is real and ends the chunk.
 */
export class SuspectedLimits {
  readonly #saysRoom: () => Promise<boolean>;
  readonly #suspectedBefore: number;
  readonly #records = new Map<string, LimitError>();
  #asking: Promise<boolean> | null = null;
  #inARow = 0;
  #othersAnswered = false;

  /**
   * @param saysRoom reads /v2/metrics; true only if the API reports a daily quota and some of it is left
   * @param suspectedBefore number of directly preceding calls of this chunk that brought suspected limits only. Null: the
   * API reports no daily quota, so every daily limit is real.
   */
  constructor(saysRoom: () => Promise<boolean>, suspectedBefore: number | null) {
    this.#saysRoom = suspectedBefore === null ? () => Promise.resolve(false) : saysRoom;
    this.#suspectedBefore = suspectedBefore ?? 0;
  }

  /** Records with a suspected limit, and their errors. */
  get records(): ReadonlyMap<string, LimitError> {
    return this.#records;
  }

  /**
   * Whether the records are the cause, not the limit. True if other records were answered later, or after CALLS_AT_MOST
   * calls.
   */
  get proven(): boolean {
    return this.#othersAnswered || this.#suspectedBefore + 1 >= CALLS_AT_MOST;
  }

  /**
   * Handles a daily-limit error of a record.
   * @returns `suspected` for a suspected limit; `again` when the request was not sent and may be sent now
   * @throws LimitError when the limit is real
   */
  async heard(entity: string, error: LimitError): Promise<'suspected' | 'again'> {
    const sent = error.attempts > 0;
    if (sent && !this.#records.has(entity) && ++this.#inARow >= BELIEVED_IN_A_ROW) throw error;
    // Requests in flight receive the error together: read /v2/metrics once.
    this.#asking ??= this.#saysRoom().finally(() => {
      this.#asking = null;
    });
    if (!(await this.#asking)) throw error;
    if (!sent) return 'again';
    this.#records.set(entity, error);
    return 'suspected';
  }

  /** Notes an answer. Only a request sent after a suspected limit proves that quota is left. */
  answered(entity: string, sentAfterRefusal: boolean): void {
    this.#inARow = 0;
    this.#othersAnswered ||= sentAfterRefusal;
    this.#records.delete(entity);
  }
}
