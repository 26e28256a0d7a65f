import { errorMessage } from '../../../base/errors.js';
import type { Database } from '../../duckdb/database.js';
import { ModelFailedError } from '../../duckdb/errors.js';
import { withMemory } from '../../duckdb/in-memory.js';
import { prepareSession } from '../../duckdb/session.js';
import { useShared } from '../../duckdb/shared.js';
import type { SqlFile } from '../../duckdb/sql-files.js';
import { parseMacros, queriesOfMacro } from './macros.js';
import type { Macro, MacroText, OwnObject, Seed } from './own-object.js';
import { createSeed, findWrongValues } from './seed-types.js';
import { parseSeeds, wrongRows } from './seeds.js';
import { namesIn } from './uses.js';

// Caches checked folders, because one process reads the models many times.
const known = new Map<string, OwnObject[]>();

/**
 * Reads and checks the macros and seeds of the user's own folder. Creates them in a DuckDB in memory, so that faults
 * are found before a build.
 * @param files Files with names `own/…`
 * @param shared Shipped macros and seeds. Own macros may call them, but must not have their names
 * @returns Seeds, then macros. A macro comes after the macros that it calls
 * @throws ModelFailedError with file and reason
 */
export async function readOwn(files: readonly SqlFile[], shared: readonly SqlFile[]): Promise<OwnObject[]> {
  if (files.length === 0) return [];
  const key = JSON.stringify([files, shared]);
  const read = known.get(key) ?? (await checkOwn(files, shared));
  // Keep only the last folder: a process that runs for weeks may see many versions.
  known.clear();
  known.set(key, read);
  return read;
}

async function checkOwn(files: readonly SqlFile[], shared: readonly SqlFile[]): Promise<OwnObject[]> {
  const isMacro = ({ name }: SqlFile): boolean => name.endsWith('.sql');
  const seeds = parseSeeds(files.filter((file) => !isMacro(file)));
  const macros = files.filter(isMacro).flatMap(parseMacros);
  return withMemory(':memory:', async (db) => {
    await prepareSession(db);
    await useShared(db, shared);
    await checkNames(db, macros, seeds);
    for (const seed of seeds) {
      const faults = await findWrongValues(db, seed);
      if (faults.length > 0) throw wrongRows(seed.path, faults);
      await createSeed(db, seed);
    }
    const created = await createInOrder(db, macros);
    return [...seeds, ...(await describeMacros(db, created, seeds))];
  });
}

/** Rejects names that another macro, seed or function has. Otherwise, shipped models would call the user's macro. */
async function checkNames(db: Database, macros: readonly MacroText[], seeds: readonly Seed[]): Promise<void> {
  const functions = await db.rows<{ name: string; shipped: boolean }>(
    `SELECT lower(function_name) AS name, bool_or(database_name = 'temp') AS shipped FROM duckdb_functions() GROUP BY ALL`,
  );
  const shipped = new Map(functions.map((one) => [one.name, one.shipped]));
  for (const [i, { name, path }] of macros.entries()) {
    const other = macros.slice(0, i).find((one) => one.name === name);
    if (other !== undefined) {
      const also = other.path === path ? ' twice' : `, and ${other.path} creates it too`;
      throw new ModelFailedError(`${path} creates the macro ${name}${also}.`, 'Rename or remove one of the two.');
    }
    const is = shipped.get(name);
    if (is !== undefined)
      throw new ModelFailedError(
        `${path} creates the macro ${name}, but ${name} is ${is ? 'a macro of Tidemark, which its own models call' : 'a function of DuckDB'}.`,
        `Rename the macro, for example to my_${name}.`,
      );
  }
  const tables = await db.rows<{ name: string }>(
    `SELECT lower(table_name) AS name FROM duckdb_tables() WHERE temporary`,
  );
  for (const { name, path } of seeds)
    if (tables.some((table) => table.name === name))
      throw new ModelFailedError(
        `${path} would replace the table ${name}, which Tidemark's own models read.`,
        `Rename the file, for example to my_${name.slice('seed_'.length)}.csv.`,
      );
}

/** Creates macros, each after those that it calls. DuckDB refuses a macro that calls an unknown function. */
async function createInOrder(db: Database, macros: readonly MacroText[]): Promise<MacroText[]> {
  const created: MacroText[] = [];
  let waiting = [...macros];
  while (waiting.length > 0) {
    const failed: { macro: MacroText; error: unknown }[] = [];
    for (const macro of waiting) {
      try {
        await db.run(macro.sql);
        created.push(macro);
      } catch (error) {
        failed.push({ macro, error });
      }
    }
    const [first] = failed;
    if (first !== undefined && failed.length === waiting.length) throw faultOf(first.macro, first.error);
    waiting = failed.map(({ macro }) => macro);
  }
  return created;
}

function faultOf({ name, path }: MacroText, error: unknown): ModelFailedError {
  const lines = errorMessage(error).split('\n');
  // DuckDB adds a hint and repeats the statement.
  const why = [lines[0], ...lines.slice(1).filter((line) => line.startsWith('Did you mean'))].join(' ');
  return new ModelFailedError(
    `${path}, macro ${name}: ${why}`,
    why.startsWith('Catalog Error: Table with name')
      ? 'A macro may read its parameters and seeds, but no tables. Read the table in the model, and pass values to the macro.'
      : 'Correct that file. Nothing was built; the current build stays current.',
    { cause: error },
  );
}

async function describeMacros(db: Database, macros: readonly MacroText[], seeds: readonly Seed[]): Promise<Macro[]> {
  const rows = await db.rows<{ name: string; type: string; definition: string }>(
    `SELECT lower(function_name) AS name, function_type AS type, macro_definition AS definition FROM duckdb_functions()`,
  );
  const functions = new Set(rows.map(({ name }) => name));
  const own = new Set([...macros, ...seeds].map(({ name }) => name));
  const described: Macro[] = [];
  for (const macro of macros) {
    const bodies = rows.filter(({ name }) => name === macro.name);
    const queries = queriesOfMacro(macro.sql, bodies, functions);
    const names = await namesIn(queries);
    described.push({ ...macro, queries, names: new Set([...names].filter((name) => own.has(name))) });
  }
  return described;
}
