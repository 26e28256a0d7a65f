import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Database } from './database.js';
import type { Model } from './models.js';
import { identifier, quote } from './sql-files.js';

/** Writes the same tables as `<lake>/<schema>/<table>/data.parquet` (zstd), with run and fingerprint in each footer. */
export async function publishLake(db: Database, models: Model[], lake: string, run: string): Promise<void> {
  for (const model of models) {
    const folder = path.join(lake, ...model.model.split('.'));
    mkdirSync(folder, { recursive: true });
    const metadata = Object.entries({
      run,
      model: model.model,
      version: String(model.version),
      fingerprint: model.fingerprint,
    });
    await db.run(
      `COPY (SELECT * FROM ${model.model} ORDER BY ${model.key.map(identifier).join(', ')})
       TO ${quote(path.join(folder, 'data.parquet'))}
       (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${metadata.map(([key, value]) => `${key}: ${quote(value)}`).join(', ')}})`,
    );
  }
}
