import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Database } from './database.js';
import { syncFile } from './links.js';
import type { Model } from './models.js';
import { quote } from './sql-files.js';

/**
 * Writes the tables of the attached `build`, in their order, as `<lake>/<schema>/<table>/data.parquet` (zstd), with run
 * and fingerprint in each footer.
 */
export async function publishLake(db: Database, models: Model[], lake: string, run: string): Promise<void> {
  // The build is sorted by key already; sorting it again would take longer than writing it.
  await db.run('SET preserve_insertion_order = true');
  try {
    for (const model of models) await writeTable(db, model, lake, run);
  } finally {
    await db.run('SET preserve_insertion_order = false');
  }
}

async function writeTable(db: Database, model: Model, lake: string, run: string): Promise<void> {
  const folder = path.join(lake, ...model.model.split('.'));
  const file = path.join(folder, 'data.parquet');
  mkdirSync(folder, { recursive: true });
  const footer = { run, model: model.model, version: String(model.version), fingerprint: model.fingerprint };
  const metadata = Object.entries(footer).map(([key, value]) => `${key}: ${quote(value)}`);
  await db.run(
    `COPY build.${model.model} TO ${quote(file)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${metadata.join(', ')}})`,
  );
  await syncFile(file);
}
