import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Option, type Command } from 'commander';
import { useOrdinaryMode } from '../core/file-modes.js';
import { errorMessage, TidemarkError } from '../core/errors.js';
import { visibleInTerminal } from '../core/visible-text.js';
import { examples, loadContext } from '../terminal/context.js';
import { isFolder, outFile } from '../terminal/out-file.js';
import { parseCount } from '../terminal/port-options.js';
import { tell } from '../terminal/print.js';
import type { Published } from '../builds/published.js';
import { sayTable } from '../terminal/say-table.js';

interface Options {
  format?: Format;
  out?: string;
  limit: number;
  exact?: boolean;
  env?: string;
}

type Format = 'table' | 'csv' | 'json' | 'parquet';

const FORMATS: Record<string, Format> = { '.csv': 'csv', '.json': 'json', '.parquet': 'parquet', '.txt': 'table' };

/** `tidemark sql`: runs one read-only query of the published warehouse. */
export function registerSql(program: Command): void {
  program
    .command('sql <query>')
    .description('query the published warehouse, read-only')
    .addOption(
      new Option('--format <format>', 'output format; default the file extension of --out, else table').choices([
        'table',
        'csv',
        'json',
        'parquet',
      ]),
    )
    .option('--exact', 'CSV only: write text unchanged, even if a spreadsheet would run it as a formula')
    .option('--out <file>', 'write to a file: .csv, .json, .parquet, or .txt for a table; Parquet requires --out')
    .addOption(
      new Option('--limit <rows>', 'maximum number of rows in a table; other formats write all rows')
        .argParser(parseCount)
        .default(200),
    )
    .option('--env <name>', 'read the tables of this dev environment, and all other tables from production')
    .addHelpText(
      'after',
      examples(
        'tidemark sql "SELECT name, employees FROM marts.companies WHERE in_market ORDER BY employees DESC NULLS LAST LIMIT 10"',
        'tidemark sql "FROM core.financials" --out financials.parquet',
        'tidemark sql "SHOW ALL TABLES"',
        'tidemark sql --env me "FROM marts.market_daily"',
      ),
    )
    .action(async (query: string, options: Options, command: Command) => {
      const format =
        options.out === undefined ? (options.format ?? 'table') : formatOfFile(options.out, options.format);
      const { config } = await loadContext(command);
      const { openPublished } = await import('../builds/published.js');
      if (format === 'parquet' && options.out === undefined) {
        throw new TidemarkError('InvalidInput', 'Parquet needs a file: a terminal cannot show it.', {
          todo: 'Name a file with --out, for example --out result.parquet.',
        });
      }
      const published = await openPublished(config.dataDir);
      try {
        if (options.env !== undefined) {
          const { overlayEnv } = await import('../models/environments.js');
          await overlayEnv(published, config.dataDir, options.env);
        }
        if (options.out !== undefined) await writeFile(published, query, format, path.resolve(options.out), options);
        else await printRows(published, query, format, options);
      } finally {
        published.close();
      }
    });
}

async function printRows(published: Published, query: string, format: Format, options: Options): Promise<void> {
  const { limit } = options;
  if (format === 'table') {
    const { columns, rows, more } = await published.query(query, { limit });
    sayTable({ columns, rows });
    if (more) tell(`(the first ${limit} rows; --limit shows more, --format csv or json shows all)`);
    return;
  }
  const { writeCsv, writeJson } = await import('./published/write-rows.js');
  const result = await published.stream(query);
  await (format === 'csv' ? writeCsv(result, toStdout, options) : writeJson(result, toStdout));
}

/** Writes the result to a file. Writes a temporary file first, so that a failure leaves no incomplete file. */
async function writeFile(
  published: Published,
  query: string,
  format: Format,
  file: string,
  options: Options,
): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    if (format === 'parquet') {
      await published.run(
        `COPY (${query.trim().replace(/;+$/, '')}\n) TO '${temporary.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION zstd)`,
      );
    } else {
      const { writeRowsTo } = await import('./published/write-file.js');
      await writeRowsTo(temporary, published, query, format, options);
    }
    useOrdinaryMode(temporary);
    await rename(temporary, file);
    tell(`Written: ${file}`);
  } catch (error) {
    await rm(temporary, { force: true });
    if (error instanceof TidemarkError) throw error;
    throw new TidemarkError('Internal', `Cannot write ${file}: ${errorMessage(error)}`, {
      todo: 'Check that the folder exists and that you may write there.',
      cause: error,
    });
  }
}

/**
 * Returns the format of a file: from its extension, or from `--format` if the file has no extension.
 * @throws TidemarkError `InvalidInput` when the extension is unknown or disagrees with `--format`, when the path is a
 *   folder, or when its folder is missing
 */
function formatOfFile(out: string, asked: Format | undefined): Format {
  const wrong = (message: string, todo: string): TidemarkError => new TidemarkError('InvalidInput', message, { todo });
  const endings = 'Known extensions: .csv, .json, .parquet, or .txt for a table.';
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
  const format = Object.hasOwn(FORMATS, ending) ? FORMATS[ending] : undefined;
  if (format === undefined) {
    const todo =
      ending === '.xlsx' || ending === '.xls' ? `Write a .csv file; spreadsheets can open it. ${endings}` : endings;
    throw wrong(`--out ${out}: Tidemark cannot write ${ending} files.`, todo);
  }
  if (asked !== undefined && asked !== format)
    throw wrong(`--out ${out} means ${ending}, but --format says ${asked}.`, `Use the same format in both. ${endings}`);
  return format;
}

async function toStdout(text: string): Promise<void> {
  // A terminal executes control characters, so show them as escapes there. A pipe or a file gets the text unchanged.
  const shown = process.stdout.isTTY ? visibleInTerminal(text) : text;
  return new Promise((resolve) => process.stdout.write(shown, () => resolve()));
}
