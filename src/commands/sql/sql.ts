import path from 'node:path';
import { Option, type Command } from 'commander';
import { TidemarkError } from '../../core/errors.js';
import { visibleInTerminal } from '../../core/visible-text.js';
import { examples, loadContext } from '../../terminal/context.js';
import { parseCount } from '../../terminal/port-options.js';
import { tell } from '../../terminal/print.js';
import type { Published } from '../../builds/published.js';
import { sayTable } from '../../terminal/say-table.js';
import { formatOfFile, writeResult, type Format } from '../published/write-result.js';

interface Options {
  format?: Format;
  out?: string;
  limit: number;
  exact?: boolean;
  env?: string;
}

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
      const { openPublished } = await import('../../builds/published.js');
      if (format === 'parquet' && options.out === undefined) {
        throw new TidemarkError('InvalidInput', 'Parquet needs a file: a terminal cannot show it.', {
          todo: 'Name a file with --out, for example --out result.parquet.',
        });
      }
      const published = await openPublished(config.dataDir);
      try {
        if (options.env !== undefined) {
          const { overlayEnv } = await import('../../models/environments.js');
          await overlayEnv(published, config.dataDir, options.env);
        }
        if (options.out !== undefined) await writeResult(published, query, format, path.resolve(options.out), options);
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
  const { writeCsv, writeJson } = await import('../published/write-rows.js');
  const result = await published.stream(query);
  await (format === 'csv' ? writeCsv(result, toStdout, options) : writeJson(result, toStdout));
}

async function toStdout(text: string): Promise<void> {
  // A terminal executes control characters, so show them as escapes there. A pipe or a file gets the text unchanged.
  const shown = process.stdout.isTTY ? visibleInTerminal(text) : text;
  return new Promise((resolve) => process.stdout.write(shown, () => resolve()));
}
