import { Option, type Command } from 'commander';
import { formatBytes, formatCount } from '../../../schemas/format.js';
import { invalidInput } from '../../base/errors.js';
import { didYouMean } from '../../base/text/near-names.js';
import type { Manifest } from '../../store/versions.js';
import type { TableFiles } from '../../warehouse/builds/table-files.js';
import { examples } from '../context.js';
import { say, sayJson } from '../terminal/print.js';
import { sayTable } from '../terminal/say-table.js';
import { openPlace } from './open-place.js';

interface Options {
  from?: string;
  spark?: boolean;
  json?: boolean;
}

/** A table of the current version, by name. */
type Named = TableFiles & { table: string };

/** `tidemark files`: lists the files of a table in a copied build, for engines that read lists of files. */
export function registerFiles(program: Command): void {
  program
    .command('files [table]')
    .summary('list the files of a table in a copied build')
    .description(
      'list the Parquet files of a table in the current copied version, one address a line; without a table, list the tables',
    )
    .option('--from <place>', 'bucket (s3://…) or folder to which builds are copied; default `publish.to`')
    .option(
      '--spark',
      'print Spark SQL that creates a temporary view and checks its rows; without a table, for all tables',
    )
    .addOption(
      new Option('--json', 'print version, columns and files with sizes, rows and hashes as JSON').conflicts('spark'),
    )
    .addHelpText(
      'after',
      examples(
        'tidemark files core.financials --from s3://my-bucket/tidemark',
        'tidemark files core.financials --from s3://my-bucket/tidemark --spark > view.sql',
        'tidemark files --json',
      ),
    )
    .action(async (table: string | undefined, options: Options, command: Command) => {
      const storage = await openPlace(options.from, command);
      const [{ buildsIn, mustReadCurrent }, { filesOf }] = await Promise.all([
        import('../../warehouse/builds/manifest.js'),
        import('../../warehouse/builds/table-files.js'),
      ]);
      const builds = buildsIn(storage);
      const current = await mustReadCurrent(builds);
      const { build, version } = current;
      const content = await builds.manifestOf(current);
      const names = table === undefined ? Object.keys(content.tables).toSorted() : [checkTable(table, content)];
      const tables = names.flatMap((name): Named[] => {
        const found = filesOf(storage.name, content, name);
        return found === undefined ? [] : [{ table: name, ...found }];
      });
      if (options.json) {
        const about = { place: storage.name, build, version };
        return sayJson(table === undefined ? { ...about, tables } : { ...about, ...tables[0] });
      }
      if (options.spark) return sayViews(storage.name, tables);
      if (table === undefined) return list(tables);
      for (const { files } of tables) for (const file of files) say(file.path);
    });
}

function checkTable(table: string, { build, tables }: Manifest): string {
  if (Object.hasOwn(tables, table)) return table;
  throw invalidInput(
    `The build ${build} has no table "${table}".${didYouMean(table, Object.keys(tables))}`,
    'Name a table with its schema. `tidemark files` without a table lists all of them.',
  );
}

async function sayViews(place: string, tables: Named[]): Promise<void> {
  const { sparkView } = await import('../../warehouse/builds/spark-view.js');
  for (const table of tables) say(sparkView(table.table, place, table).trimEnd());
}

function list(tables: Named[]): void {
  sayTable({
    columns: ['table', 'rows', 'files', 'size'],
    rows: tables.map(({ table, rows, files }) => [
      table,
      formatCount(rows),
      formatCount(files.length),
      formatBytes(files.reduce((sum, { bytes }) => sum + bytes, 0)),
    ]),
  });
}
