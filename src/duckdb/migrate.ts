import { createHash } from 'node:crypto';
import type { Database } from './database.js';
import { ModelFailedError } from './errors.js';
import { readSqlFolder } from './sql-files.js';

/** The files of `sql/migrations`, compared with those that a warehouse file records as applied. */
interface Migrations {
  /** Not applied yet, in order. */
  missing: { name: string; text: string; sha256: string }[];
  /** Names of applied migrations that this version of Tidemark does not have. */
  unknown: string[];
  /** Names of files that were edited after they were applied. */
  edited: string[];
}

/**
 * Compares the files of `sql/migrations` with the applied migrations. Also works on a file that was opened read-only,
 * and on one without any migration.
 */
export async function compareMigrations(db: Database): Promise<Migrations> {
  const known = await db.rows(`SELECT 1 FROM duckdb_tables() WHERE schema_name = 'main' AND table_name = 'migrations'`);
  const rows =
    known.length === 0
      ? []
      : await db.rows<{ name: string; sha256: string }>('SELECT name, sha256 FROM main.migrations ORDER BY name');
  const applied = new Map(rows.map((row) => [row.name, row.sha256]));
  const files = readSqlFolder('migrations').map((file) => ({
    ...file,
    sha256: createHash('sha256').update(file.text).digest('hex'),
  }));
  return {
    missing: files.filter(({ name }) => !applied.has(name)),
    unknown: [...applied.keys()].filter((name) => files.every((file) => file.name !== name)),
    edited: files.filter(({ name, sha256 }) => (applied.get(name) ?? sha256) !== sha256).map(({ name }) => name),
  };
}

/**
 * Checks that migrations can be applied to a file.
 * @throws ModelFailedError when a newer Tidemark wrote the file, or an applied migration was edited
 */
export function requireMigratable({ unknown, edited }: Migrations, file: string): void {
  if (unknown.length > 0) {
    throw new ModelFailedError(
      `${file} was written by a newer version of Tidemark: it has ${unknown.join(', ')}.`,
      'Update Tidemark, or set TIDEMARK_DATA to another folder.',
    );
  }
  if (edited.length > 0) {
    throw new ModelFailedError(
      `sql/${edited[0]} was changed after it was applied.`,
      'Restore the file and write the change as a new numbered file. Or delete data/warehouse/tidemark.duckdb: the next run loads all landed parts into a new one.',
    );
  }
}

/**
 * Applies the files of `sql/migrations` that were not applied yet, in order. If one fails, applies none.
 * @throws ModelFailedError when a newer Tidemark wrote the file, an applied migration was edited, or a migration fails
 */
export async function applyMigrations(db: Database): Promise<void> {
  await db.run(
    'CREATE TABLE IF NOT EXISTS main.migrations (name VARCHAR PRIMARY KEY, sha256 VARCHAR NOT NULL, applied_at TIMESTAMPTZ NOT NULL)',
  );
  const migrations = await compareMigrations(db);
  requireMigratable(migrations, db.file);
  if (migrations.missing.length === 0) return;
  await db.transaction(async () => {
    for (const { name, text, sha256 } of migrations.missing) {
      await db.run('INSERT INTO main.migrations VALUES ($name, $sha256, now())', { name, sha256 });
      await db.runFile({ name, text });
    }
    // A migration may have changed any table. So build all models again that are not incremental.
    await db.run('DELETE FROM ledger.model_inputs');
  });
}
