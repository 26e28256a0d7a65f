import type { LandingStream } from '../../schemas/pipeline/landing.js';
import { readSqlFolder } from '../duckdb/sql-files.js';
import type { RowChoice } from '../load/load.js';
import { MODEL_SCHEMAS, type Model } from '../models/models.js';
import { readsOfModels } from '../models/reads.js';

/*
 * A rebuild can divide the companies into partitions. What is divided:
 * - landed rows of DIVIDED_STREAMS: their staging writes only rows of the company in `entity_id`
 * - the tables DIVIDED_TABLES of the ledger: no two partitions write a row with the same key
 * - the models that `dividedModels` selects: a row depends on the rows of one company alone
 *
 * The writer loads and builds everything else. Other streams may add rows to DIVIDED_TABLES afterwards. The divided
 * models then rebuild the companies that changed, as in a later night.
 */

/** Streams whose answers are about the company in `entity_id`. */
export const DIVIDED_STREAMS: ReadonlySet<string> = new Set<LandingStream>([
  'companies',
  'companies_v1',
  'financials',
  'financials_v1',
]);

/** Tables that the staging of DIVIDED_STREAMS writes, without the lists of changed companies. */
export const DIVIDED_TABLES = [
  'observations',
  'answers',
  'company_records',
  'company_records_v1',
  'code_extras',
  'company_seen',
  'reports',
  'report_values',
  'v1_reports',
  'v1_values',
  'rejects',
  'shapes',
] as const;

const CHANGED_COMPANIES = ['dirty_companies', 'dirty_reports'];
const READABLE: ReadonlySet<string> = new Set(
  [...DIVIDED_TABLES, ...CHANGED_COMPANIES].map((name) => `ledger.${name}`),
);

/**
 * Chooses the landed rows of a partition. Rows with an unreadable company id belong to one partition, too.
 * @param index from 0 to `of` - 1
 */
export function rowsOf(index: number, of: number): RowChoice {
  return { where: `hash(coalesce(text_id(entity_id), -1)) % ${of} = ${index}`, of };
}

/**
 * Selects the models that each partition builds for its companies: shipped models whose changed rows are built again by
 * company, and that read only divided tables and models. A model of the user is never divided.
 * @param models in an order in which each model comes after those that it reads
 */
export async function dividedModels(models: readonly Model[]): Promise<Model[]> {
  const shipped = new Set(MODEL_SCHEMAS.flatMap((schema) => readSqlFolder(schema)).map(({ text }) => text));
  const reads = await readsOfModels(models, new Map());
  const divided = new Map<string, Model>();
  for (const model of models) {
    const read = reads.get(model.model);
    if (model.incremental?.by.join() !== 'company_id' || !shipped.has(model.text)) continue;
    if (read === undefined || read.readsItself || !read.rows.isRepeatable) continue;
    if ([...read.rows.tables].every((table) => READABLE.has(table) || divided.has(table)))
      divided.set(model.model, model);
  }
  return [...divided.values()];
}
