import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import path from 'node:path';
import { Option, type Command } from 'commander';
import type { Published } from '../warehouse/builds/published.js';
import { publishedFile } from '../store/data-folder.js';
import { invalidInput, errorMessage } from '../base/errors.js';
import { visibleData } from '../base/text/visible-text.js';
import { splitStatements } from '../warehouse/duckdb/split-statements.js';
import { examples, loadContext } from './context.js';
import { shellQuote } from '../base/text/pasteable.js';
import { parseCount } from './terminal/port-options.js';
import { tell } from './terminal/print.js';
import { sayTable } from './terminal/say-table.js';
import { downloadCurrent } from './copied/open-place.js';
import { FORMATS, NEED_FILE, type Format } from './output/formats.js';
import { formatOfFile, OUT_FORMATS, writeResult } from './output/write-result.js';

interface Options {
  format?: Format;
  out?: string;
  limit: number;
  exact?: boolean;
  env?: string;
  file?: string;
  from?: string;
}

/** `tidemark sql`: runs read-only queries of the published warehouse. */
export function registerSql(program: Command): void {
  program
    .command('sql [query]')
    .description('query the published warehouse, read-only; without a query, read standard input')
    .summary('query the published warehouse, read-only')
    .addOption(
      new Option('--format <format>', 'output format; default the file extension of --out, else table').choices(
        FORMATS,
      ),
    )
    .option('-f, --file <file>', 'run the statements of a file, one after the other')
    .option('--exact', 'CSV only: write text unchanged, even if a spreadsheet would run it as a formula')
    .option('--out <file>', `write to a file: ${OUT_FORMATS}`)
    .addOption(
      new Option('--limit <rows>', 'maximum number of rows in a table; other formats write all rows')
        .argParser(parseCount)
        .default(200),
    )
    .addOption(
      new Option('--env <name>', 'query this dev environment: its own tables, and a copy of all others').conflicts(
        'from',
      ),
    )
    .option('--from <place>', 'read the current version of a bucket (s3://…) or folder to which `publish.to` copies')
    .addHelpText(
      'after',
      examples(
        'tidemark sql "SELECT name, employees FROM marts.companies WHERE in_market ORDER BY employees DESC NULLS LAST LIMIT 10"',
        'tidemark sql "FROM core.financials" --out financials.parquet',
        'tidemark sql "SHOW ALL TABLES"',
        'tidemark sql --env me "FROM marts.market_daily"',
        'tidemark sql --from s3://my-bucket/tidemark "FROM marts.market_daily"',
        'tidemark sql -f report.sql --format markdown',
        'tidemark sql "FROM core.financials" --format arrow | python3 totals.py',
      ),
    )
    .action(async (query: string | undefined, options: Options, command: Command) => {
      const format =
        options.out === undefined ? (options.format ?? 'table') : formatOfFile(options.out, options.format);
      const isPiped = format === 'arrow' && !process.stdout.isTTY;
      if (NEED_FILE.includes(format) && options.out === undefined && !isPiped)
        throw invalidInput(
          `${format} needs a file: a terminal cannot show it.`,
          `Name a file with --out, for example --out result.${format}.`,
        );
      if (query === undefined && options.file === undefined && process.stdin.isTTY)
        throw await noQuery(command, options);
      const statements = splitStatements(await readQuery(query, options));
      const single = options.out === undefined ? '--format arrow' : '--out';
      if ((options.out !== undefined || isPiped) && statements.length !== 1)
        throw invalidInput(
          `${single} writes the rows of one query, but there are ${statements.length} statements.`,
          `Give one query, or omit ${single}.`,
        );
      const dataDir =
        options.from === undefined ? await ownDataDir(command) : (await downloadCurrent(options.from)).dataDir;
      const { openPublished } = await import('../warehouse/builds/published.js');
      const published = await openPublished(dataDir, await fileOfEnv(dataDir, options.env));
      try {
        for (const statement of statements) await runQuery(published, statement, { ...options, format });
      } finally {
        published.close();
      }
    });
}

async function fileOfEnv(dataDir: string, env: string | undefined): Promise<string | undefined> {
  if (env === undefined) return undefined;
  const { readEnv } = await import('../warehouse/publish/environments.js');
  return (await readEnv(dataDir, env)).file;
}

async function ownDataDir(command: Command): Promise<string> {
  return (await loadContext(command)).config.dataDir;
}

/** Says where to type queries, because nobody sends any to standard input. */
async function noQuery(command: Command, { from }: Options): Promise<Error> {
  const place =
    from === undefined
      ? `\`tidemark ui\` has a console for queries. DuckDB's own shell opens the file: duckdb -readonly ${shellQuote(publishedFile(await ownDataDir(command)))}`
      : '`tidemark ui --from …` has a console for queries.';
  return invalidInput('There is no query.', `Give one, for example \`tidemark sql "SHOW ALL TABLES"\`. ${place}`);
}

async function readQuery(query: string | undefined, { file }: Options): Promise<string> {
  if (query !== undefined && file !== undefined)
    throw invalidInput('There is both a query and -f.', 'Give one of them.');
  if (query !== undefined) return query;
  if (file === undefined) return readAll(process.stdin);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw invalidInput(`Cannot read ${file}: ${errorMessage(error)}.`, 'Check the path after -f.', error);
  }
}

async function runQuery(published: Published, query: string, options: Options & { format: Format }): Promise<void> {
  const { format, out } = options;
  if (out !== undefined) return writeResult(published, query, format, path.resolve(out), options);
  return printRows(published, query, format, options);
}

async function printRows(published: Published, query: string, format: Format, options: Options): Promise<void> {
  const { limit } = options;
  if (format === 'table') {
    const { columns, rows, more } = await published.query(query, { limit });
    sayTable({ columns, rows });
    if (rows.length === 0) tell('(0 rows)');
    if (more) tell(`(the first ${limit} rows; --limit shows more, --format csv or json shows all)`);
    return;
  }
  if (format === 'arrow') {
    const { writeArrow } = await import('../warehouse/duckdb/arrow.js');
    await writeArrow(await published.stream(query), 'stream', toStdout);
    return;
  }
  const { rowWriter } = await import('./output/write-file.js');
  // A terminal executes control characters, so show them as escapes there. A pipe or a file gets the text unchanged.
  const print = process.stdout.isTTY ? async (text: string) => toStdout(visibleData(text)) : toStdout;
  await rowWriter(format, options)(await published.stream(query), print);
}

async function toStdout(piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => process.stdout.write(piece, () => resolve()));
}
