import type { LimitError } from '../api-client/index.js';

// So many in a row are no matter of single records: then the answers are believed, not the figure.
const BELIEVED_IN_A_ROW = 10;
// Once nothing else can show that there is room, the records are tried again in so many calls of the chunk.
const CALLS_AT_MOST = 3;

/**
 * Records answered with the daily limit while the figure of the API says that there is room. Such a record is set
 * aside, so that it does not keep the rest waiting for a limit that is not reached.
 */
export class LimitDoubts {
  readonly #saysRoom: () => Promise<boolean>;
  readonly #doubtsBefore: number;
  readonly #aside = new Map<string, LimitError>();
  #asking: Promise<boolean> | null = null;
  #inARow = 0;
  #othersAnswered = false;

  /**
   * @param saysRoom asks for the figure; true only where it is known and something is left
   * @param doubtsBefore how many calls of the chunk before this one ended in nothing but doubt; null: the API gives no
   * figure, so nothing is doubted
   */
  constructor(saysRoom: () => Promise<boolean>, doubtsBefore: number | null) {
    this.#saysRoom = doubtsBefore === null ? () => Promise.resolve(false) : saysRoom;
    this.#doubtsBefore = doubtsBefore ?? 0;
  }

  /** Records set aside, with what they were answered. */
  get aside(): ReadonlyMap<string, LimitError> {
    return this.#aside;
  }

  /** Whether it is the records, not the limit: others were answered after them, or they were refused often enough. */
  get proven(): boolean {
    return this.#othersAnswered || this.#doubtsBefore + 1 >= CALLS_AT_MOST;
  }

  /**
   * Takes a daily limit that a record was answered with, or for which it was not sent: then it may be sent now.
   * @throws LimitError where it is to be believed
   */
  async heard(entity: string, error: LimitError): Promise<'aside' | 'again'> {
    const sent = error.attempts > 0;
    if (sent && !this.#aside.has(entity) && ++this.#inARow >= BELIEVED_IN_A_ROW) throw error;
    // Those in flight hear it together: the figure is asked for once.
    this.#asking ??= this.#saysRoom().finally(() => {
      this.#asking = null;
    });
    if (!(await this.#asking)) throw error;
    if (!sent) return 'again';
    this.#aside.set(entity, error);
    return 'aside';
  }

  /** A record was answered. Only one that was sent after a refusal shows that there is room. */
  answered(entity: string, sentAfterRefusal: boolean): void {
    this.#inARow = 0;
    this.#othersAnswered ||= sentAfterRefusal;
    this.#aside.delete(entity);
  }
}
