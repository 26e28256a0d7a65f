import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { declaredFields } from '../shapes/declared.js';
import type { Database } from './database.js';
import { quote, readShared, type SqlFile } from './sql-files.js';

/*
 * Macros, seeds and declared fields, which staging and models share. A warehouse stores those of the installed version
 * in its schema `ledger`. Temporary ones hide the stored ones, for a set of models that was restored.
 */

/** Returns the begin of a statement that creates an object, with the name of the object. */
type Creating = (kind: 'TABLE' | 'MACRO', name: string) => string;

const stored: Creating = (kind, name) => `CREATE OR REPLACE ${kind} ledger.${name}`;
const temporary: Creating = (kind, name) => `CREATE OR REPLACE TEMP ${kind} ${name}`;

/** Stores the installed macros, seeds and declared fields in a new warehouse. */
export async function storeShared(db: Database): Promise<void> {
  await makeAll(db, readShared(), stored);
}

/** Makes macros, seeds and declared fields as temporary objects. */
export async function useShared(db: Database, shared: readonly SqlFile[] = readShared()): Promise<void> {
  await makeAll(db, shared, temporary);
}

/** Runs `work` with the macros and seeds of a set of models, in a warehouse that has those of the installed version. */
export async function withShared<T>(db: Database, shared: readonly SqlFile[], work: () => Promise<T>): Promise<T> {
  if (areInstalled(shared)) return work();
  try {
    await useShared(db, shared);
    return await work();
  } finally {
    await dropTemporary(db);
  }
}

function areInstalled(shared: readonly SqlFile[]): boolean {
  const plain = (files: readonly SqlFile[]): string => JSON.stringify(files.map(({ name, text }) => [name, text]));
  return plain(shared) === plain(readShared());
}

async function makeAll(db: Database, shared: readonly SqlFile[], creating: Creating): Promise<void> {
  for (const file of shared) {
    if (file.name.startsWith('macros/')) await makeMacros(db, file, creating);
    else await makeSeed(db, file, creating);
  }
  await db.run(
    `${creating('TABLE', 'seed_fields')} AS SELECT unnest(from_json(CAST($fields AS JSON), $type), recursive := true)`,
    {
      fields: JSON.stringify(declaredFields()),
      type: '[{"stream":"VARCHAR","route":"VARCHAR","path":"VARCHAR","parent":"VARCHAR","types":["VARCHAR"],"open":"BOOLEAN","enough":"BIGINT","personal":"BOOLEAN"}]',
    },
  );
}

/** Runs all statements of a file at once. If one fails, runs them one by one, so that the error names it. */
async function makeMacros(db: Database, file: SqlFile, creating: Creating): Promise<void> {
  const text = file.text.replaceAll(/^CREATE OR REPLACE TEMP MACRO (\w+)/gm, (_, name: string) =>
    creating('MACRO', name),
  );
  await db.run(text).catch(() => db.runFile({ ...file, text }));
}

/**
 * Loads a seed into a table. For example, `seeds/indicators.csv` becomes the table `seed_indicators`. All columns are
 * text.
 */
async function makeSeed(db: Database, { name, text }: SqlFile, creating: Creating): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-seed-'));
  const file = path.join(folder, path.basename(name));
  try {
    writeFileSync(file, text);
    await db.run(
      `${creating('TABLE', `seed_${path.parse(name).name}`)} AS SELECT * FROM read_csv(${quote(file)}, header = true, all_varchar = true)`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function dropTemporary(db: Database): Promise<void> {
  const objects = await db.rows<{ type: string; name: string }>(
    `SELECT 'TABLE' AS type, table_name AS name FROM duckdb_tables() WHERE database_name = 'temp' AND starts_with(table_name, 'seed_')
     UNION ALL
     SELECT DISTINCT CASE function_type WHEN 'macro' THEN 'MACRO' ELSE 'MACRO TABLE' END, function_name
     FROM duckdb_functions() WHERE database_name = 'temp'`,
  );
  for (const { type, name } of objects) await db.run(`DROP ${type} IF EXISTS temp.${name}`);
}
