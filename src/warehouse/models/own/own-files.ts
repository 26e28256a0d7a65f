import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { TidemarkError } from '../../../base/errors.js';
import { readSqlFolderAt, type SqlFile } from '../../duckdb/sql-files.js';
import { requireText } from '../../../base/csv/require-text.js';
import { MODEL_SCHEMAS } from '../model-file.js';

/** Prefix of the names of macros and seeds of the user's own folder. Shipped ones have the names `macros/…`, `seeds/…`. */
export const OWN = 'own/';

// Each set of models in the ledger keeps the text of its seeds.
const LARGEST_SEED = 10_000_000;

/** The files of the user's own folder. */
export interface OwnFiles {
  models: SqlFile[];
  /** Macros (`own/macros/*.sql`) and seeds (`own/seeds/*.csv`, `own/seeds/*.yml`). */
  own: SqlFile[];
}

/**
 * Reads the user's own folder: models, macros and seeds.
 * @throws TidemarkError `InvalidConfig` when the folder is missing, or has files that Tidemark would ignore
 * @throws TidemarkError `InvalidInput` when a seed is no UTF-8 text
 */
export function readOwnFiles(folder: string): OwnFiles {
  checkFolder(folder);
  return {
    models: MODEL_SCHEMAS.flatMap((schema) => readSqlFolderAt(folder, schema)),
    own: [...readSqlFolderAt(folder, 'macros').map(asOwn), ...readSeedFiles(folder)],
  };
}

function asOwn(file: SqlFile): SqlFile {
  return { ...file, name: OWN + file.name };
}

function readSeedFiles(folder: string): SqlFile[] {
  return listFolder(path.join(folder, 'seeds'))
    .filter((name) => /\.(?:csv|yml)$/.test(name))
    .map((name) => {
      const file = path.join(folder, 'seeds', name);
      if (statSync(file).size > LARGEST_SEED)
        throw invalid(
          `${file} is larger than 10 MB.`,
          'Seeds are small tables, such as a list of regions. Let a model read a large file with read_csv or read_parquet.',
        );
      const bytes = readFileSync(file);
      requireText(bytes, file);
      return { name: `${OWN}seeds/${name}`, text: bytes.toString(), path: file };
    });
}

/** Rejects files in the wrong place. Without this check, the build would silently ignore them. */
function checkFolder(folder: string): void {
  const subfolders = [...MODEL_SCHEMAS, 'macros'];
  if (!existsSync(folder))
    throw invalid(
      `The folder ${folder}, which \`models\` in the configuration names, does not exist.`,
      `Create the folder, or correct \`models\`. Tidemark reads the .sql files of its subfolders ${subfolders.join(', ')}, and the .csv files of seeds.`,
    );
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const stray = all.find((name) => name.endsWith('.sql') && !subfolders.includes(path.dirname(name)));
  if (stray !== undefined)
    throw invalid(
      `${path.join(folder, stray)} is not in a subfolder from which Tidemark reads .sql files.`,
      `Move each .sql file into one of the subfolders ${subfolders.join(', ')}.`,
    );
  const inside = new RegExp(`^(?:${subfolders.join('|')})[/\\\\].*\\.csv$|^seeds[/\\\\].*[/\\\\].*\\.csv$`, 'i');
  const strayTable = all.find((name) => inside.test(name));
  if (strayTable !== undefined)
    throw invalid(
      `${path.join(folder, strayTable)} is not in the subfolder from which Tidemark reads seeds.`,
      `Move it to ${path.join(folder, 'seeds')}.`,
    );
  const ignored = listFolder(path.join(folder, 'seeds')).find((name) => !/^\.|\.(?:csv|yml|md)$/.test(name));
  if (ignored !== undefined)
    throw invalid(
      `${path.join(folder, 'seeds', ignored)} is no seed.`,
      'A seed is a file <name>.csv. The file <name>.yml next to it may declare the types of its columns.',
    );
}

/** Returns the files of a folder, sorted by name. Returns an empty list if the folder does not exist. */
function listFolder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

function invalid(message: string, todo: string): TidemarkError {
  return new TidemarkError('InvalidConfig', message, { todo });
}
