import { readFileSync } from 'node:fs';
import type { Config } from '../../core/config.js';
import { errorMessage, TidemarkError } from '../../core/errors.js';
import type { PlainValue } from '../../duckdb/plain-value.js';

const LARGEST = 64 * 1024 * 1024;

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
  if ((file === undefined) === (sql === undefined))
    throw wrongList('Give either a CSV file or --sql.', 'See `tidemark payees check --help`.');
  const bytes = file === undefined ? await selectList(sql ?? '', config) : readFile(file);
  if (bytes.length > LARGEST) throw wrongList('The list is larger than 64 MiB.', 'Split it into several lists.');
  return bytes;
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw wrongList(
      `Cannot read ${file}: ${errorMessage(error)}`,
      'Name a CSV file that you have permission to read.',
      error,
    );
  }
}

/** Runs the query of `--sql` as a subquery, so that it can read but not change anything. */
async function selectList(sql: string, config: Config): Promise<Buffer> {
  const [{ openPublished }, { writeCsv }] = await Promise.all([
    import('../../builds/published.js'),
    import('../published/write-rows.js'),
  ]);
  const published = await openPublished(config.dataDir);
  try {
    const { columns, rows } = await published.query(`FROM (\n${sql.trim().replace(/;+$/, '')}\n)`);
    const texts: string[] = [];
    await writeCsv({ columns, batches: once(rows) }, async (text) => void texts.push(text), { exact: true });
    return Buffer.from(texts.join(''));
  } finally {
    published.close();
  }
}

/** Makes one batch of rows, for `writeCsv`. */
export async function* once(rows: PlainValue[][]): AsyncGenerator<PlainValue[][]> {
  yield rows;
}

function wrongList(what: string, todo: string, cause?: unknown): TidemarkError {
  return new TidemarkError('InvalidInput', what, { todo, cause });
}
