import type { LimitError } from '../../api-client/index.js';

// After this many consecutive daily-limit errors, trust them over /v2/metrics.
const BELIEVED_IN_A_ROW = 10;
// If this many consecutive executions of a chunk's activity end with only suspected limits, the cause is the records,
// not the daily limit.
const CALLS_AT_MOST = 3;

/**
 * Handles suspected limits: the API answers a record with the daily limit while /v2/metrics still shows quota. The
 * chunk fetches the other records first and then tries this record again.
 *
 * States of a record: requested → answered or suspected; suspected → answered or filed as failed, after another try.
 * The limit is real if /v2/metrics shows no quota, or after BELIEVED_IN_A_ROW consecutive errors. A real limit ends the
 * chunk.
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
   * @param suspectedBefore number of consecutive earlier executions of this chunk's activity that ended with only
   * suspected limits. Null: the API reports no daily quota, so every daily limit is real.
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
   * Whether single records cause the daily-limit errors, although quota is left. True after the API answered a later
   * request, or after CALLS_AT_MOST calls.
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
    // Requests in flight often fail together, so read /v2/metrics only once for all of them.
    this.#asking ??= this.#saysRoom().finally(() => {
      this.#asking = null;
    });
    if (!(await this.#asking)) throw error;
    if (!sent) return 'again';
    this.#records.set(entity, error);
    return 'suspected';
  }

  /** Notes that the API answered a record. Only a request sent after a suspected limit proves that quota is left. */
  answered(entity: string, sentAfterRefusal: boolean): void {
    this.#inARow = 0;
    this.#othersAnswered ||= sentAfterRefusal;
    this.#records.delete(entity);
  }
}
