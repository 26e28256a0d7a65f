import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BOUNDS } from '../../base/json/json-bounds.js';
import { declaredFields } from '../shapes/declared.js';
import type { Database } from './database.js';
import { quote, readShared, type SqlFile } from './sql-files.js';

/**
 * Prepares a connection for loads and builds: sets options, and creates functions, macros, seeds and a table of the
 * fields that the API reference declares.
 */
export async function prepareSession(db: Database): Promise<void> {
  await db.run(`SET TimeZone = 'UTC'`);
  await db.run('SET preserve_insertion_order = false');
  await db.addFunctions();
  await db.run(`SET VARIABLE bounds = ${JSON.stringify(BOUNDS).replaceAll('"', "'")}`);
  await useShared(db, readShared());
  await db.run(
    'CREATE OR REPLACE TEMP TABLE seed_fields AS SELECT unnest(from_json(CAST($fields AS JSON), $type), recursive := true)',
    {
      fields: JSON.stringify(declaredFields()),
      type: '[{"stream":"VARCHAR","route":"VARCHAR","path":"VARCHAR","parent":"VARCHAR","types":["VARCHAR"],"inside":"BOOLEAN","enough":"BIGINT"}]',
    },
  );
}

/**
 * Creates macros and seeds as temporary objects. So if a file was changed, the change takes effect when the warehouse
 * is opened again.
 */
export async function useShared(db: Database, shared: readonly SqlFile[]): Promise<void> {
  for (const file of shared) {
    if (file.name.startsWith('macros/')) await createMacros(db, file);
    else await loadSeed(db, file);
  }
}

/** Runs all statements of a file at once. If one fails, runs them one by one, so that the error names it. */
async function createMacros(db: Database, file: SqlFile): Promise<void> {
  await db.run(file.text).catch(() => db.runFile(file));
}

/**
 * Loads a seed into a temporary table. For example, `seeds/indicators.csv` becomes the table `seed_indicators`. All
 * columns are text.
 */
async function loadSeed(db: Database, { name, text }: SqlFile): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-seed-'));
  const file = path.join(folder, path.basename(name));
  try {
    writeFileSync(file, text);
    await db.run(
      `CREATE OR REPLACE TEMP TABLE seed_${path.parse(name).name} AS SELECT * FROM read_csv(${quote(file)}, header = true, all_varchar = true)`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
