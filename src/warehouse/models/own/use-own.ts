import type { Database } from '../../duckdb/database.js';
import type { OwnObject } from './own-object.js';
import { createSeed } from './seed-types.js';

/**
 * Runs `work` with the own macros and seeds that models use, as temporary objects. Removes them afterwards, so that
 * no build finds a macro whose file is gone.
 */
export async function withOwn<T>(
  db: Database,
  models: readonly { uses?: readonly OwnObject[] | undefined }[],
  work: () => Promise<T>,
): Promise<T> {
  const objects = new Map(models.flatMap(({ uses = [] }) => uses).map((object) => [object.name, object]));
  try {
    for (const object of objects.values())
      if (object.kind === 'seed') await createSeed(db, object);
      else await db.run(object.sql);
    return await work();
  } finally {
    // If this fails, the connection is broken. Then the error of `work` matters more.
    for (const { kind, name } of [...objects.values()].toReversed()) await drop(db, kind, name).catch(() => undefined);
  }
}

async function drop(db: Database, kind: OwnObject['kind'], name: string): Promise<void> {
  if (kind === 'seed') return db.run(`DROP TABLE IF EXISTS temp.${name}`);
  for (const type of ['MACRO', 'MACRO TABLE']) await db.run(`DROP ${type} IF EXISTS temp.${name}`);
}
