import { createHash } from 'node:crypto';
import type { Database } from './database.js';
import { ModelFailedError } from './errors.js';
import { readSqlFolder } from './sql-files.js';

/**
 * Applies the files of `sql/migrations` that were not applied yet, in order, each in one transaction with its own entry.
 * @throws ModelFailedError when the file was written by a newer Tidemark, or an applied migration was edited
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
      `${db.file} was written by a newer version: it has ${unknown.join(', ')}.`,
      'Update this checkout, or set TIDEMARK_DATA to another folder.',
    );
  }
  for (const file of files) {
    const sha256 = createHash('sha256').update(file.text).digest('hex');
    const before = applied.get(file.name);
    if (before === sha256) continue;
    if (before !== undefined) {
      throw new ModelFailedError(
        `sql/${file.name} was changed after it was applied.`,
        'Put it back as it was and write the change as a new numbered file; or delete data/warehouse/tidemark.duckdb: the next run loads it anew from the landing zone.',
      );
    }
    await db.transaction(async () => {
      await db.run('INSERT INTO main.migrations VALUES ($name, $sha256, now())', { name: file.name, sha256 });
      await db.runFile(file);
    });
  }
}
