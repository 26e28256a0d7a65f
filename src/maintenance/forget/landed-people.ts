import path from 'node:path';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { PEOPLE_STREAMS } from '../../../schemas/streams/people.js';
import { streamDir } from '../../store/data-folder.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import { readManifests, readQuarantine, type LandedPart } from '../../landing/index.js';
import { readSpool } from '../../landing/spool.js';
import { findPartFault } from '../../warehouse/load/part-check.js';
import { ValueFinder } from '../../privacy/value-finder.js';
import { readJobs, rewriteJob, JOB_STREAM } from './job-rows.js';
import { rewritePart, rewriteSpool, rowsOf, type Change, type StoredRow } from './landed-rows.js';
import { readCompanyIds } from './linked.js';
import { listPeopleSpools } from './quiet.js';
import { searchParquet } from './search-rows.js';

/**
 * The answers of the streams about people, wherever they are: landed parts, parts in quarantine, spools that no process
 * writes, and jobs.
 */
export class LandedPeople {
  readonly #db: Database;
  readonly #dataDir: string;
  readonly #landed: readonly LandedPart[];
  /** The sound parts, also those in quarantine. */
  readonly #parts: readonly LandedPart[];
  /** Files in quarantine that differ from their manifests, or have none. Nobody can tell whom they name. */
  readonly damaged: readonly string[];

  private constructor(db: Database, dataDir: string, sound: readonly LandedPart[], damaged: readonly string[]) {
    this.#db = db;
    this.#dataDir = dataDir;
    this.#landed = readManifests(dataDir);
    this.#parts = [...this.#landed.filter(({ stream }) => PEOPLE_STREAMS.includes(stream)), ...sound];
    this.damaged = damaged;
  }

  static async open(db: Database, dataDir: string): Promise<LandedPeople> {
    const { parts, files } = await readQuarantine(dataDir, PEOPLE_STREAMS);
    const sound: LandedPart[] = [];
    for (const part of parts) if ((await findPartFault(part)) === undefined) sound.push(part);
    const damaged = files.filter((file) => sound.every((part) => part.file !== file));
    return new LandedPeople(db, dataDir, sound, damaged);
  }

  /** Calls `visit` for every row of parts and spools. */
  async each(visit: (stream: LandingStream, row: StoredRow) => void): Promise<void> {
    for (const part of this.#parts) for await (const { row } of rowsOf(this.#db, part.file)) visit(part.stream, row);
    for (const { stream, file } of listPeopleSpools(this.#dataDir)) {
      for await (const { row } of readSpool(file)) if (row !== undefined) visit(stream, row);
    }
  }

  /** Calls `visit` for every row, also for the answers that jobs keep until they are landed. */
  async eachWithJobs(visit: (stream: LandingStream, row: StoredRow) => void): Promise<void> {
    await this.each(visit);
    for (const { row } of readJobs(this.#dataDir)) visit(JOB_STREAM, row);
  }

  /** Calls `visit` for the rows of damaged files that DuckDB can read. Their values may be wrong. */
  async eachDamaged(visit: (stream: LandingStream, row: StoredRow) => void): Promise<void> {
    for (const file of this.damaged) {
      const stream = PEOPLE_STREAMS.find((one) => file.startsWith(`${streamDir(this.#dataDir, one)}${path.sep}`));
      try {
        for await (const { row } of rowsOf(this.#db, file)) if (stream !== undefined) visit(stream, row);
      } catch {
        // The proof names each damaged file.
      }
    }
  }

  /** Returns the ids of the companies that landed answers are about. */
  companyIds(): Promise<Set<string>> {
    return readCompanyIds(this.#db, this.#landed);
  }

  /** Returns those values that answers about companies hold. */
  async valuesOfCompanies(values: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    if (values.length === 0) return found;
    const finder = new ValueFinder(values);
    for (const { stream, file } of this.#landed) {
      if (!PEOPLE_STREAMS.includes(stream)) await searchParquet(this.#db, file, finder, found);
    }
    return found;
  }

  /** Writes the parts, spools and jobs again that a change concerns. Returns the numbers of changed rows and parts. */
  async rewrite(change: Change): Promise<{ rows: number; parts: number }> {
    let [rows, parts] = [0, 0];
    for (const part of this.#parts) {
      const changed = await rewritePart(this.#db, this.#dataDir, part, change);
      rows += changed;
      parts += changed > 0 ? 1 : 0;
    }
    for (const { stream, file } of listPeopleSpools(this.#dataDir)) rows += await rewriteSpool(stream, file, change);
    for (const job of readJobs(this.#dataDir)) rows += await rewriteJob(job, change);
    return { rows, parts };
  }
}
