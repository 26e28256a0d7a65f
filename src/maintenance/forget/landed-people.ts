import path from 'node:path';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { PEOPLE, PEOPLE_STREAMS } from '../../../schemas/streams/people.js';
import { streamDir } from '../../store/data-folder.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import { quote } from '../../warehouse/duckdb/sql-files.js';
import { readManifests, readQuarantine, type LandedPart } from '../../landing/index.js';
import { findPartFault } from '../../warehouse/load/part-check.js';
import { ValueFinder } from '../../privacy/value-finder.js';
import { jobFiles, partFile, rowsOf, spoolFile, type AnswersFile, type Change, type StoredRow } from './answers.js';
import { listPeopleSpools } from './quiet.js';
import { searchParquet } from './search-rows.js';
import type { Data } from '../../store/data.js';

// Streams whose entity_id is a company, besides the streams about people.
const OF_COMPANIES: readonly LandingStream[] = ['companies', 'companies_v1', 'financials', 'financials_v1'];

type Visit = (stream: LandingStream, row: StoredRow) => void;

/**
 * The answers of the streams about people, wherever they are: landed parts, parts in quarantine, spools that no process
 * writes, and jobs.
 */
export class LandedPeople {
  private constructor(
    private readonly db: Database,
    private readonly dataDir: string,
    private readonly landed: readonly LandedPart[],
    /** The sound parts, also those in quarantine, and the spools. */
    private readonly files: readonly AnswersFile[],
    /** Files in quarantine that differ from their manifests, or have none. Nobody can tell whom they name. */
    readonly damaged: readonly string[],
  ) {}

  static async open(db: Database, data: Data): Promise<LandedPeople> {
    const { dataDir } = data;
    const { parts, files } = await readQuarantine(data, PEOPLE_STREAMS);
    const landed = readManifests(dataDir);
    const sound = landed.filter(({ stream }) => PEOPLE_STREAMS.includes(stream));
    for (const part of parts) if ((await findPartFault(part)) === undefined) sound.push(part);
    const damaged = files.filter((file) => sound.every((part) => part.file !== file));
    const spools = listPeopleSpools(dataDir).map(({ stream, file }) => spoolFile(stream, file));
    const answers = [...sound.map((part) => partFile(db, data, part)), ...spools];
    return new LandedPeople(db, dataDir, landed, answers, damaged);
  }

  /** Calls `visit` for every answer in parts and spools. */
  async each(visit: Visit, files: Iterable<AnswersFile> = this.files): Promise<void> {
    for (const file of files) {
      for await (const { row } of file.rows()) visit(file.stream, row);
    }
  }

  /** Calls `visit` for every answer, also for those that jobs keep until they are landed. */
  async eachWithJobs(visit: Visit): Promise<void> {
    await this.each(visit);
    await this.each(visit, jobFiles(this.dataDir));
  }

  /** Calls `visit` for the rows of damaged files that DuckDB can read. Their values may be wrong. */
  async eachDamaged(visit: Visit): Promise<void> {
    for (const file of this.damaged) {
      const stream = PEOPLE_STREAMS.find((one) => file.startsWith(`${streamDir(this.dataDir, one)}${path.sep}`));
      try {
        for await (const { row } of rowsOf(this.db, file)) if (stream !== undefined) visit(stream, row);
      } catch {
        // The proof names each damaged file.
      }
    }
  }

  /** Returns the ids of the companies that landed answers are about. */
  async companyIds(): Promise<Set<string>> {
    const about = this.landed.filter(
      ({ stream }) => OF_COMPANIES.includes(stream) || PEOPLE[stream]?.entity === 'company',
    );
    if (about.length === 0) return new Set();
    const files = about.map(({ file }) => quote(file)).join(', ');
    const rows = await this.db.rows<{ id: string }>(
      `SELECT DISTINCT entity_id AS id FROM read_parquet([${files}], hive_partitioning = false) WHERE entity_id IS NOT NULL`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns those values that answers about companies hold. */
  async valuesOfCompanies(values: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    if (values.length === 0) return found;
    const finder = new ValueFinder(values);
    for (const { stream, file } of this.landed) {
      if (!PEOPLE_STREAMS.includes(stream)) await searchParquet(this.db, file, finder, found);
    }
    return found;
  }

  /** Writes the files again that a change concerns. Returns the numbers of changed rows and parts. */
  async rewrite(change: Change): Promise<{ rows: number; parts: number }> {
    const counts = { rows: 0, parts: 0 };
    for (const file of [...this.files, ...jobFiles(this.dataDir)]) {
      const changed = await file.rewrite(change);
      counts.rows += changed;
      if (changed > 0 && file.file.endsWith('.parquet')) counts.parts++;
    }
    return counts;
  }
}
