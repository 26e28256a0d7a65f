import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { PEOPLE_STREAMS } from '../../../schemas/pipeline/people.js';
import type { Database } from '../../duckdb/database.js';
import { readManifests, type LandedPart } from '../../landing/index.js';
import { readSpool } from '../../landing/spool.js';
import { ValueFinder } from '../../privacy/value-finder.js';
import { rewritePart, rewriteSpool, rowsOf, type Change, type StoredRow } from './landed-rows.js';
import { readCompanyIds } from './linked.js';
import { listPeopleSpools, type FoundSpool } from './quiet.js';
import { searchParquet } from './search-rows.js';

/** The answers of the streams about people: landed parts, and spools that no process writes. */
export class LandedPeople {
  readonly #db: Database;
  readonly #dataDir: string;
  readonly #all: readonly LandedPart[];
  readonly #spools: readonly FoundSpool[];

  constructor(db: Database, dataDir: string) {
    this.#db = db;
    this.#dataDir = dataDir;
    this.#all = readManifests(dataDir);
    this.#spools = listPeopleSpools(dataDir);
  }

  get #parts(): LandedPart[] {
    return this.#all.filter(({ stream }) => PEOPLE_STREAMS.includes(stream));
  }

  /** Calls `visit` for every row. */
  async each(visit: (stream: LandingStream, row: StoredRow) => void): Promise<void> {
    for (const part of this.#parts) for await (const { row } of rowsOf(this.#db, part)) visit(part.stream, row);
    for (const { stream, file } of this.#spools) {
      for await (const { row } of readSpool(file)) if (row !== undefined) visit(stream, row);
    }
  }

  /** Returns the ids of the companies that landed answers are about. */
  companyIds(): Promise<Set<string>> {
    return readCompanyIds(this.#db, this.#all);
  }

  /** Returns those values that answers about companies hold. */
  async valuesOfCompanies(values: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    if (values.length === 0) return found;
    const finder = new ValueFinder(values);
    for (const { stream, file } of this.#all) {
      if (!PEOPLE_STREAMS.includes(stream)) await searchParquet(this.#db, file, finder, found);
    }
    return found;
  }

  /** Writes the parts and spools again that a change concerns. Returns the numbers of changed rows and parts. */
  async rewrite(change: Change): Promise<{ rows: number; parts: number }> {
    let [rows, parts] = [0, 0];
    for (const part of this.#parts) {
      const changed = await rewritePart(this.#db, this.#dataDir, part, change);
      rows += changed;
      parts += changed > 0 ? 1 : 0;
    }
    for (const { stream, file } of this.#spools) rows += await rewriteSpool(stream, file, change);
    return { rows, parts };
  }
}
