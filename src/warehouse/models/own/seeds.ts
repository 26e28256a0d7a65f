import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { errorMessage } from '../../../base/errors.js';
import { ModelFailedError } from '../../duckdb/errors.js';
import type { SqlFile } from '../../duckdb/sql-files.js';
import { readCsv } from '../../../base/csv/read-csv.js';
import { pathOf } from '../model-file.js';
import type { Seed, SeedRow } from './own-object.js';
import { isSeedType, SEED_TYPES } from './seed-types.js';

const Types = z.strictObject({
  columns: z.record(
    z.string(),
    z
      .string()
      .transform((type) => type.toUpperCase().replaceAll(/\s/g, ''))
      .refine(isSeedType, `must be one of these types: ${SEED_TYPES}`),
  ),
});

/**
 * Reads the seeds of the user's own folder, sorted by name.
 * @param files CSV files, and YAML files with the types of their columns
 * @throws ModelFailedError when a file is wrong. The message names file, line and value
 */
export function parseSeeds(files: readonly SqlFile[]): Seed[] {
  const types = new Map(files.filter(isYaml).map((file) => [stemOf(file), file]));
  const tables = files.filter((file) => !isYaml(file));
  for (const [stem, file] of types)
    if (!tables.some((table) => stemOf(table) === stem))
      throw wrong(`${pathOf(file)} declares types, but there is no ${stem}.csv next to it.`, 'Add or rename the file.');
  return tables.map((file) => parseSeed(file, types.get(stemOf(file))));
}

function parseSeed(file: SqlFile, types: SqlFile | undefined): Seed {
  const stem = stemOf(file);
  if (!/^[a-z][a-z0-9_]*$/.test(stem))
    throw wrong(
      `${pathOf(file)} has a name that cannot be the name of a table.`,
      'Use small letters, digits and _, beginning with a letter: the file regions.csv becomes the table seed_regions.',
    );
  const { header, rows } = readTable(file);
  const declared = types === undefined ? {} : readTypes(types);
  const unknown = Object.keys(declared).find((column) => !header.includes(column));
  if (types !== undefined && unknown !== undefined)
    throw wrong(
      `${pathOf(types)} declares the column ${unknown}, but ${pathOf(file)} has the columns ${header.join(', ')}.`,
      'Correct the name. Capital letters matter.',
    );
  const columns = new Map(header.map((name) => [name, declared[name] ?? 'VARCHAR']));
  return { kind: 'seed', name: `seed_${stem}`, file: file.name, path: pathOf(file), columns, rows };
}

function readTable(file: SqlFile): { header: string[]; rows: SeedRow[] } {
  const faults: string[] = [];
  const rows: SeedRow[] = [];
  let header: string[] | undefined;
  readCsv(Buffer.from(file.text), {
    record({ line, cells }) {
      if (header === undefined) {
        header = cells;
        return null;
      }
      if (cells.length !== header.length)
        return { problem: `it has ${cells.length} fields, but the header has ${header.length}`, torn: true };
      rows.push({ line, cells: cells.map((cell) => (cell === '' ? null : cell)) });
      return null;
    },
    fault: ({ line, problem, text }) => faults.push(`line ${line}: ${problem} (${text.slice(0, 60)})`),
  });
  if (faults.length > 0) throw wrongRows(pathOf(file), faults);
  if (header === undefined)
    throw wrong(`${pathOf(file)} is empty.`, 'The first line of a seed names its columns. Each further line is a row.');
  checkHeader(file, header);
  return { header, rows };
}

function checkHeader(file: SqlFile, header: readonly string[]): void {
  const lower = header.map((name) => name.toLowerCase());
  const bad = header.find((name, i) => name === '' || lower.indexOf(name.toLowerCase()) < i);
  if (bad === undefined) return;
  throw wrong(
    bad === ''
      ? `The first line of ${pathOf(file)} has a column without a name.`
      : `The first line of ${pathOf(file)} names the column ${bad} twice.`,
    'Give each column another name.',
  );
}

function readTypes(file: SqlFile): Record<string, string> {
  try {
    return Types.parse(parse(file.text)).columns;
  } catch (error) {
    throw wrong(
      `${pathOf(file)}: ${error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error)}`,
      'Write one column on each line below `columns:`, such as `  weight: DOUBLE`. Columns without a type are text.',
    );
  }
}

/** Returns an error that names the first bad rows of a seed. */
export function wrongRows(file: string, faults: readonly string[]): ModelFailedError {
  const more = faults.length - 5;
  return wrong(
    `${file} has ${faults.length === 1 ? 'a wrong value or row' : 'wrong values or rows'}: ${faults.slice(0, 5).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
    'Correct the file, or declare another type in the .yml file next to it. Leave a cell empty if it has no value.',
  );
}

function stemOf({ name }: SqlFile): string {
  return path.posix.parse(name).name;
}

function isYaml({ name }: SqlFile): boolean {
  return name.endsWith('.yml');
}

function wrong(message: string, todo: string): ModelFailedError {
  return new ModelFailedError(message, todo);
}
