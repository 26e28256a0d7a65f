import path from 'node:path';
import type { Command } from 'commander';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { examples } from '../context.js';
import { outFile } from '../terminal/out-file.js';
import { tell } from '../terminal/print.js';
import type { TableDocs } from '../../warehouse/models/docs.js';
import { ownModels } from '../own-models.js';

interface Options {
  out?: string;
  json?: boolean;
  dbt?: string;
}

/** `tidemark models docs`: the data dictionary, and the same for dbt. */
export function registerModelsDocs(models: Command): void {
  models
    .command('docs')
    .summary('write the data dictionary')
    .description('write the data dictionary: published tables with columns, key, audits and the origin of each column')
    .option('--out <file>', 'write to a file instead of the terminal')
    .option('--json', 'write JSON instead of Markdown')
    .option('--dbt <folder>', 'write sources.yml for dbt to a folder')
    .addHelpText(
      'after',
      `
sources.yml declares the published tables as sources of a dbt project, with
columns, tests and freshness.
${examples(
  'tidemark models docs --out docs/data-dictionary.md',
  'tidemark models docs --json',
  'tidemark models docs --dbt my-project/models/tidemark',
)}`,
    )
    .action(documentModels);
}

async function documentModels(options: Options, command: Command): Promise<void> {
  if (options.dbt !== undefined && (options.json || options.out !== undefined)) {
    throw new TidemarkError('InvalidInput', '--dbt cannot be combined with --json or --out.', {
      todo: 'Call the command twice.',
    });
  }
  const [{ readModels }, { readFunctions }, { readLineage }, { describeTables, renderDictionary }] = await Promise.all([
    import('../../warehouse/models/models.js'),
    import('../../warehouse/models/functions.js'),
    import('../../warehouse/models/lineage.js'),
    import('../../warehouse/models/docs.js'),
  ]);
  const models = await readModels(await ownModels(command));
  if (options.dbt !== undefined) return writeForDbt(options.dbt, describeTables(models));
  const tables = describeTables(models, await readLineage(models));
  const text = options.json ? `${JSON.stringify(tables, null, 2)}\n` : renderDictionary(tables, readFunctions());
  if (options.out === undefined) return void process.stdout.write(text);
  await writeText(outFile(options.out), text);
}

async function writeForDbt(folder: string, tables: TableDocs[]): Promise<void> {
  const [{ renderSources }, { makeOrdinaryFolder }] = await Promise.all([
    import('../../warehouse/models/dbt/sources.js'),
    import('../../store/file-modes.js'),
  ]);
  const target = path.resolve(folder);
  try {
    makeOrdinaryFolder(target);
  } catch (error) {
    throw cannotWrite(target, error);
  }
  await writeText(path.join(target, 'sources.yml'), renderSources(tables));
}

async function writeText(file: string, text: string): Promise<void> {
  const [{ writeFileAtomic }, { useOrdinaryMode }] = await Promise.all([
    import('../../store/files.js'),
    import('../../store/file-modes.js'),
  ]);
  try {
    await writeFileAtomic(file, text);
    useOrdinaryMode(file);
  } catch (error) {
    throw cannotWrite(file, error);
  }
  tell(`Written: ${file}`);
}

function cannotWrite(file: string, error: unknown): TidemarkError {
  if (error instanceof TidemarkError) return error;
  return new TidemarkError('Internal', `Cannot write ${file}: ${errorMessage(error)}`, {
    todo: 'Check that the folder exists and that you may write there.',
    cause: error,
  });
}
