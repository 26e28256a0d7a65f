/** What a reader found in one look. */
export interface Look {
  /** Night of each marker in the published file. */
  nights?: number[];
  /** Night of each marker in the lake, which was opened after the file. */
  lake?: number[];
  /** Night of each marker in the file beside this lake. */
  same?: number[];
  /** Whether a connection that stays open still has the same rows. */
  held?: boolean;
  error?: string;
}

/** Collects the looks of a reader and what is wrong with them. */
export class Looks {
  readonly reader: string;
  count = 0;
  /** Different nights that the reader saw. */
  readonly seen = new Set<number>();
  readonly faults: string[] = [];
  #latest = 0;

  constructor(reader: string) {
    this.reader = reader;
  }

  add({ nights = [], lake, same, held, error }: Look): void {
    this.count++;
    if (error !== undefined) return this.#fault(error);
    const night = this.#one('the file', nights);
    if (night < this.#latest) this.#fault(`night ${night} after night ${this.#latest}`);
    this.#latest = Math.max(this.#latest, night);
    this.seen.add(night);
    if (lake !== undefined && same !== undefined) {
      const ofLake = this.#one('the lake', lake);
      const beside = this.#one('the file beside the lake', same);
      if (ofLake !== beside) this.#fault(`the lake has night ${ofLake}, the file beside it night ${beside}`);
      if (ofLake < night) this.#fault(`the lake has night ${ofLake}, the file had night ${night}`);
      this.#latest = Math.max(this.#latest, ofLake);
    }
    if (held === false) this.#fault('the rows of an open connection changed');
  }

  #one(what: string, nights: number[]): number {
    const different = [...new Set(nights)];
    if (different.length !== 1) this.#fault(`${what} has tables of several nights: ${nights.join(', ')}`);
    return different[0] ?? -1;
  }

  #fault(text: string): void {
    if (this.faults.length < 20) this.faults.push(text);
  }
}
