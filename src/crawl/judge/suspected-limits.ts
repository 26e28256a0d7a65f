import type { LimitError } from '../../api/index.js';

// After this many consecutive daily-limit errors, trust them over /v2/metrics.
const BELIEVED_IN_A_ROW = 10;
// If this many consecutive calls of a chunk's activity end with only suspected limits, the daily limit is not reached:
// the API answers only single records with it.
const CALLS_AT_MOST = 3;

/**
 * Handles suspected limits: the API answers a record with the daily limit while /v2/metrics still shows quota. The
 * chunk first fetches the other records and then tries this record again.
 *
 * A requested record becomes answered or suspected. A suspected record is tried again: it becomes answered, or is filed
 * as failed. If /v2/metrics shows no quota, or after BELIEVED_IN_A_ROW consecutive daily-limit errors, the limit is
 * real and ends the chunk.
 */
export class SuspectedLimits {
  readonly #saysRoom: () => Promise<boolean>;
  readonly #suspectedBefore: number;
  readonly #records = new Map<string, LimitError>();
  #asking: Promise<boolean> | null = null;
  #inARow = 0;
  #othersAnswered = false;

  /**
   * @param saysRoom reads /v2/metrics; returns true only if the API reports a daily quota and some of it is left
   * @param suspectedBefore how many earlier calls of this chunk's activity, in a row, ended with only suspected limits.
   * Null if the API reports no daily quota; then every daily limit is real.
   */
  constructor(saysRoom: () => Promise<boolean>, suspectedBefore: number | null) {
    this.#saysRoom = suspectedBefore === null ? () => Promise.resolve(false) : saysRoom;
    this.#suspectedBefore = suspectedBefore ?? 0;
  }

  /** Records with a suspected limit, each with its error. */
  get records(): ReadonlyMap<string, LimitError> {
    return this.#records;
  }

  /**
   * Whether the daily-limit errors concern only single records, and quota is left. True after the API answered a later
   * request, or after CALLS_AT_MOST calls of the activity.
   */
  get proven(): boolean {
    return this.#othersAnswered || this.#suspectedBefore + 1 >= CALLS_AT_MOST;
  }

  /**
   * Handles a daily-limit error of a record.
   * @returns `suspected` for a suspected limit; `again` if the client did not send the request, but may send it now
   * @throws LimitError when the limit is real
   */
  async heard(entity: string, error: LimitError): Promise<'suspected' | 'again'> {
    const sent = error.attempts > 0;
    if (sent && !this.#records.has(entity) && ++this.#inARow >= BELIEVED_IN_A_ROW) throw error;
    // Requests in flight often fail at the same time. Read /v2/metrics only once for all of them.
    this.#asking ??= this.#saysRoom().finally(() => {
      this.#asking = null;
    });
    if (!(await this.#asking)) throw error;
    if (!sent) return 'again';
    this.#records.set(entity, error);
    return 'suspected';
  }

  /**
   * Call this when the API has answered a record. Only an answer to a request that was sent after a suspected limit
   * proves that quota is left.
   */
  answered(entity: string, sentAfterRefusal: boolean): void {
    this.#inARow = 0;
    this.#othersAnswered ||= sentAfterRefusal;
    this.#records.delete(entity);
  }
}
