import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { useOrdinaryMode } from '../../store/file-modes.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { forParquet } from '../../warehouse/duckdb/parquet-types.js';
import { quote } from '../../warehouse/duckdb/sql-files.js';
import { isFolder, outFile } from '../terminal/out-file.js';
import { tell } from '../terminal/print.js';
import type { Published } from '../../warehouse/builds/published.js';
import type { Format } from './formats.js';

const EXTENSIONS: Record<string, Format> = {
  '.csv': 'csv',
  '.json': 'json',
  '.parquet': 'parquet',
  '.arrow': 'arrow',
  '.xlsx': 'xlsx',
  '.md': 'markdown',
  '.txt': 'table',
};

/** File extensions of the formats, for the help of `--out`. */
export const OUT_FORMATS = '.csv, .json, .parquet, .arrow, .xlsx, .md, or .txt for a table';

/** Writes the rows of a query to a file. Writes a temporary file first, so that a failure leaves no incomplete file. */
export async function writeResult(
  published: Published,
  query: string,
  format: Format,
  file: string,
  options: { exact?: boolean } = {},
): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    if (format === 'parquet') {
      await writeParquet(published, query, temporary);
    } else if (format === 'xlsx') {
      const { writeXlsx } = await import('./write-xlsx.js');
      await writeXlsx(temporary, await published.stream(query));
    } else {
      const { writeRowsTo } = await import('./write-file.js');
      await writeRowsTo(temporary, published, query, format, options);
    }
    useOrdinaryMode(temporary);
    await rename(temporary, file);
    tell(`Written: ${file}`);
  } catch (error) {
    await rm(temporary, { force: true });
    if (error instanceof TidemarkError) throw error;
    const isTooLong = /DECIMAL\(38,0\)/.test(errorMessage(error));
    throw new TidemarkError('Internal', `Cannot write ${file}: ${errorMessage(error)}`, {
      todo: isTooLong
        ? 'The file can hold integers of at most 38 digits. Cast the column to VARCHAR.'
        : 'Check that the folder exists and that you may write there.',
      cause: error,
    });
  }
}

async function writeParquet(published: Published, query: string, file: string): Promise<void> {
  const exact = await forParquet(query, async (sql) => {
    const { rows } = await published.query(sql);
    return rows.map(([name, type]) => ({ name: name as string, type: type as string }));
  });
  await published.run(`COPY (${exact}\n) TO ${quote(file)} (FORMAT parquet, COMPRESSION zstd)`);
}

/**
 * Returns the format of a file: from its extension, or from `--format` if the file has no extension.
 * @throws TidemarkError `InvalidInput` when the extension is unknown or disagrees with `--format`, when the path is a
 *   folder, or when its folder is missing
 */
export function formatOfFile(out: string, asked: Format | undefined): Format {
  const wrong = (message: string, todo: string): TidemarkError => new TidemarkError('InvalidInput', message, { todo });
  const endings = `Known extensions: ${Object.keys(EXTENSIONS).join(', ')} (a table).`;
  const file = outFile(out);
  const folder = path.dirname(file);
  if (!isFolder(folder))
    throw wrong(`--out ${out}: the folder ${folder} does not exist.`, 'Create it, or name another folder.');
  const ending = path.extname(file).toLowerCase();
  if (ending === '') {
    if (asked !== undefined) return asked;
    throw wrong(
      `--out ${out} has no file extension, so its format is unknown.`,
      `Add an extension or --format. ${endings}`,
    );
  }
  const format = Object.hasOwn(EXTENSIONS, ending) ? EXTENSIONS[ending] : undefined;
  if (format === undefined) {
    const todo = ending === '.xls' ? `Write an .xlsx file. ${endings}` : endings;
    throw wrong(`--out ${out}: Tidemark cannot write ${ending} files.`, todo);
  }
  if (asked !== undefined && asked !== format)
    throw wrong(`--out ${out} means ${ending}, but --format says ${asked}.`, `Use the same format in both. ${endings}`);
  return format;
}
