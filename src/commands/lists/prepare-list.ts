import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { keepsContacts, type Config } from '../../core/config.js';
import { listFile } from '../../core/data-folder.js';
import { errorMessage } from '../../core/errors.js';
import { writeFileAtomic } from '../../core/files.js';
import { formatCount } from '../../progress/format.js';
import { wrongList } from '../../resolve/columns.js';
import { writePrepared, type PreparedList } from '../../resolve/prepared-list.js';
import { readList, type List, type ListKind } from '../../resolve/read-list.js';
import { tell } from '../../terminal/print.js';

const LARGEST = 64 * 1024 * 1024;

/** Reads a list, and prints the meaning of its columns and the rows that cannot be used. */
export function readAndDescribe<Field extends string>(
  config: Config,
  file: string,
  kind: ListKind<Field>,
): { list: List<Field>; prepared: PreparedList } {
  const keepsPeople = keepsContacts(config);
  const list = readList(readSmallFile(file), file, kind, keepsPeople);
  const { header, rows, bad, questions } = list;
  if (questions.length === 0) throw wrongList(`${file} has no row that identifies ${kind.what}.`, describeBad(bad));
  tell(`${formatCount(rows.length)} rows, ${formatCount(questions.length)} different questions.`);
  const used = header.cells.flatMap((cell, i) =>
    header.columns[i] === undefined ? [] : [`${header.columns[i]} = ${cell}`],
  );
  tell(`Columns: ${used.join(', ')}.`);
  if (header.ignored.length > 0) tell(`Ignored columns: ${header.ignored.join(', ')}.`);
  for (const names of header.alike)
    tell(`Columns with the same meaning: ${names.join(', ')}. The first column with a value is used.`);
  if (!keepsPeople) tellReduced(header.columns, header.cells);
  if (bad.length > 0)
    tell(`${formatCount(bad.length)} rows cannot be used (ops.rejects lists them). ${describeBad(bad)}`);
  const shown = bad.map((row) => ({ ...row, text: keepsPeople ? row.text : '' }));
  return { list, prepared: { questions, bad: shown, decisions: [] } };
}

/** Writes a prepared list to the data folder. @returns its name there, and its hash */
export async function storePrepared(config: Config, prepared: PreparedList): Promise<{ name: string; hash: string }> {
  const text = writePrepared(prepared);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const name = `${hash}.ndjson`;
  await writeFileAtomic(listFile(config.dataDir, name), text);
  return { name, hash };
}

function tellReduced(columns: readonly (string | undefined)[], cells: readonly string[]): void {
  const named = (field: string): string => cells.filter((_, i) => columns[i] === field).join(', ');
  if (columns.includes('email')) tell(`personalData is none: only the domain of ${named('email')} is used and kept.`);
  if (columns.includes('person')) tell(`personalData is none: ${named('person')} is ignored.`);
}

/** Reads a file of at most 64 MiB. */
export function readSmallFile(file: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw wrongList(
      `Cannot read ${file}: ${errorMessage(error)}`,
      'Name a CSV file that you have permission to read.',
      error,
    );
  }
  if (bytes.length > LARGEST) throw wrongList(`${file} is larger than 64 MiB.`, 'Split it into several files.');
  return bytes;
}

function describeBad(bad: readonly { line: number; problem: string }[]): string {
  return bad
    .slice(0, 3)
    .map(({ line, problem }) => `Line ${line}: ${problem}.`)
    .join(' ');
}
