import type { Config } from '../../config/config.js';
import { invalidInput } from '../../base/errors.js';
import { readListFile, requireSmall } from '../lists/list-file.js';

/** Source of a list: either a CSV file or a query of the published warehouse. */
export interface ListSource {
  file?: string | undefined;
  sql?: string | undefined;
}

/**
 * Returns the bytes of the list, as CSV.
 * @throws TidemarkError `InvalidInput` when the file cannot be read or the query fails
 */
export async function readList({ file, sql }: ListSource, config: Config): Promise<Buffer> {
  if (file !== undefined && sql === undefined) return readListFile(file);
  if (sql !== undefined && file === undefined) return selectList(sql, config);
  throw invalidInput('Give either a CSV file or --sql.', 'See `tidemark payees check --help`.');
}

/** Runs the query of `--sql` as a subquery, so that it can read but not change anything. */
async function selectList(sql: string, config: Config): Promise<Buffer> {
  const [{ openPublished }, { writeCsv }] = await Promise.all([
    import('../../warehouse/builds/published.js'),
    import('../../warehouse/duckdb/write-rows.js'),
  ]);
  const published = await openPublished(config.dataDir);
  try {
    const rows = await published.stream(`FROM (\n${sql.trim().replace(/;+$/, '')}\n)`);
    const texts: Buffer[] = [];
    let size = 0;
    const sink = async (text: string): Promise<void> => {
      texts.push(Buffer.from(text));
      size += texts.at(-1)?.length ?? 0;
      requireSmall(size, 'The result of --sql');
    };
    await writeCsv(rows, sink, { exact: true });
    return Buffer.concat(texts);
  } finally {
    published.close();
  }
}
