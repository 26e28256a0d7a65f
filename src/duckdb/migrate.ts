import { createHash } from 'node:crypto';
import type { Database } from './database.js';
import { ModelFailedError } from './errors.js';
import { readSqlFolder } from './sql-files.js';

/**
 * Applies the files of `sql/migrations` that were not applied yet, in order. If one fails, applies none.
 * @throws ModelFailedError when a newer Tidemark wrote the file, an applied migration was edited, or a migration fails
 */
export async function applyMigrations(db: Database): Promise<void> {
  await db.run(
    'CREATE TABLE IF NOT EXISTS main.migrations (name VARCHAR PRIMARY KEY, sha256 VARCHAR NOT NULL, applied_at TIMESTAMPTZ NOT NULL)',
  );
  const applied = new Map(
    (await db.rows<{ name: string; sha256: string }>('SELECT name, sha256 FROM main.migrations')).map((row) => [
      row.name,
      row.sha256,
    ]),
  );
  const files = readSqlFolder('migrations');
  const unknown = [...applied.keys()].filter((name) => !files.some((file) => file.name === name));
  if (unknown.length > 0) {
    throw new ModelFailedError(
      `${db.file} was written by a newer version of Tidemark: it has ${unknown.join(', ')}.`,
      'Update Tidemark, or set TIDEMARK_DATA to another folder.',
    );
  }
  const hashed = files.map((file) => ({ file, sha256: createHash('sha256').update(file.text).digest('hex') }));
  for (const { file, sha256 } of hashed) {
    const before = applied.get(file.name);
    if (before === undefined || before === sha256) continue;
    throw new ModelFailedError(
      `sql/${file.name} was changed after it was applied.`,
      'Restore the file and write the change as a new numbered file. Or delete data/warehouse/tidemark.duckdb: the next run loads all landed parts into a new one.',
    );
  }
  const missing = hashed.filter(({ file }) => !applied.has(file.name));
  if (missing.length === 0) return;
  await db.transaction(async () => {
    for (const { file, sha256 } of missing) {
      await db.run('INSERT INTO main.migrations VALUES ($name, $sha256, now())', { name: file.name, sha256 });
      await db.runFile(file);
    }
  });
}
