import { existsSync, rmSync, statSync } from 'node:fs';
import type { Database } from '../duckdb/database.js';
import { ratesDir } from '../../store/data-folder.js';
import { errorMessage } from '../../base/errors.js';
import { downloadedFile, downloadRates, tagOf } from './download-rates.js';
import { readRates } from './read-rates.js';
import { isAddress, type RatesSource } from '../../config/rates-source.js';

/** Result of `loadRates`. */
export interface LoadedRates {
  /** Whether rates or settings in the ledger changed. */
  changed: boolean;
  /** Sentences for a person: why a file could not be read. */
  notes: string[];
}

/**
 * Brings the exchange rates in the ledger to the state of the configured file. Records what changed in
 * `ledger.dirty_rates`. Does not read the file if it did not change since it was read. If the file cannot be read, the
 * earlier rates stay, and a note says why.
 * @param source null when `fx` is not set; then all rates are removed
 */
export async function loadRates(db: Database, source: RatesSource | null): Promise<LoadedRates> {
  if (source === null) {
    if ((await db.count('SELECT count(*) FROM ledger.fx_settings')) === 0) return { changed: false, notes: [] };
    return { changed: await db.transaction(() => store(db, null)), notes: [] };
  }
  const notes: string[] = [];
  let stamp: string;
  try {
    const file = await localFile(source, notes);
    stamp = stampOf(file, source);
    if ((await db.count('SELECT count(*) FROM ledger.fx_file WHERE stamp = $stamp', { stamp })) > 0)
      return {
        changed: await db.transaction(() => storeSettings(db, source)),
        notes: await noteNone(db, source, notes),
      };
    await readRates(db, file, source.base);
  } catch (error) {
    const kept = 'The rates that were read before stay in use.';
    notes.push(`The exchange rates in ${source.name} could not be read: ${errorMessage(error)}. ${kept}`);
    return { changed: false, notes };
  }
  const changed = await db.transaction(async () => {
    await db.run('DELETE FROM ledger.fx_file');
    await db.run('INSERT INTO ledger.fx_file VALUES ($stamp)', { stamp });
    return store(db, source);
  });
  return { changed, notes: await noteNone(db, source, notes) };
}

/** Adds a note if there is no rate at all. Then no amount is converted, so a list of currencies without a rate says nothing. */
async function noteNone(db: Database, { name }: RatesSource, notes: readonly string[]): Promise<string[]> {
  if ((await db.count('SELECT count(*) FROM ledger.fx_rates')) > 0) return [...notes];
  return [...notes, `${name} has no exchange rate, so no amount is converted.`];
}

/** Identifies the content of a file, and the settings with which its rows are read. */
function stampOf(file: string, { name, base }: RatesSource): string {
  const { size, mtimeNs, ino } = statSync(file, { bigint: true });
  return JSON.stringify([name, base, String(size), String(mtimeNs), String(ino)]);
}

async function localFile({ file, name, data }: RatesSource, notes: string[]): Promise<string> {
  if (!isAddress(file)) {
    if (!existsSync(file)) throw new Error('there is no such file');
    return file;
  }
  const folder = ratesDir(data.dataDir);
  const local = downloadedFile(folder, file);
  const listed = (await data.listGiven(folder)).find((one) => one.file === local);
  let isNew: boolean;
  try {
    isNew = await downloadRates(folder, file);
  } catch (error) {
    if (listed !== undefined) {
      // The tag belongs to the last download of this machine.
      rmSync(tagOf(local), { force: true });
      await data.refresh(local);
    }
    if (!existsSync(local)) throw error;
    notes.push(
      `The exchange rates could not be downloaded from ${name}: ${errorMessage(error)}. The last download stays in use.`,
    );
    return local;
  }
  // With the data in a bucket, the next writer of the warehouse may be another machine. An earlier `give` may have failed.
  if (isNew || listed?.bytes !== statSync(local).size) await data.give(local);
  return local;
}

/** Replaces rows that differ. Returns whether there were any. */
async function store(db: Database, source: RatesSource | null): Promise<boolean> {
  let changed = await storeSettings(db, source);
  if (source === null) {
    for (const table of ['fx_rates', 'fx_refused', 'fx_file']) await db.run(`DELETE FROM ledger.${table}`);
    return changed;
  }
  const { name } = source;
  await db.run(`CREATE OR REPLACE TEMP TABLE new_rates AS SELECT *, CAST($name AS VARCHAR) AS source FROM read_rates`, {
    name,
  });
  await db.run(`CREATE OR REPLACE TEMP TABLE changed_rates AS
    SELECT DISTINCT currency, date
    FROM ((FROM new_rates EXCEPT FROM ledger.fx_rates) UNION ALL (FROM ledger.fx_rates EXCEPT FROM new_rates))`);
  if ((await db.count('SELECT count(*) FROM changed_rates')) > 0) {
    changed = true;
    await db.run(
      'DELETE FROM ledger.fx_rates AS r USING changed_rates AS c WHERE r.currency = c.currency AND r.date = c.date',
    );
    await db.run(
      'INSERT INTO ledger.fx_rates SELECT n.* FROM new_rates AS n SEMI JOIN changed_rates USING (currency, date)',
    );
    await db.run('INSERT INTO ledger.dirty_rates FROM changed_rates');
  }
  const refusedDiffer = await db.count(`SELECT count(*)
    FROM ((FROM refused_rates EXCEPT FROM ledger.fx_refused) UNION ALL (FROM ledger.fx_refused EXCEPT FROM refused_rates))`);
  if (refusedDiffer > 0) {
    changed = true;
    await db.run('DELETE FROM ledger.fx_refused');
    await db.run('INSERT INTO ledger.fx_refused FROM refused_rates');
  }
  for (const table of ['read_rates', 'refused_rates', 'new_rates', 'changed_rates'])
    await db.run(`DROP TABLE ${table}`);
  return changed;
}

async function storeSettings(db: Database, source: RatesSource | null): Promise<boolean> {
  const [now] = await db.rows<{ base: string; reporting: string }>('FROM ledger.fx_settings');
  if (now?.base === source?.base && now?.reporting === source?.reporting) return false;
  await db.run('DELETE FROM ledger.fx_settings');
  if (source !== null) {
    const { base, reporting } = source;
    await db.run('INSERT INTO ledger.fx_settings VALUES ($base, $reporting)', { base, reporting });
  }
  await db.run('INSERT INTO ledger.dirty_rates VALUES (NULL, NULL)');
  return true;
}
