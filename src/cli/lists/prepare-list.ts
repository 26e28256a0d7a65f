import { createHash } from 'node:crypto';
import { keepsContacts, type Config } from '../../config/config.js';
import { listFile } from '../../store/data-folder.js';
import { invalidInput } from '../../base/errors.js';
import { writeFileAtomic } from '../../store/files.js';
import type { Data } from '../../store/data.js';
import { formatCount } from '../../../schemas/format.js';
import {
  readList,
  writePrepared,
  type List,
  type ListKind,
  type PreparedList,
} from '../../crawl/streams/lists/read-list.js';
import { tell } from '../terminal/print.js';
import { readListFile } from './list-file.js';
import { tellHeader } from './tell-header.js';

/** Reads a list, and prints the meaning of its columns and the rows that cannot be used. */
export function readAndDescribe<Field extends string>(
  config: Config,
  file: string,
  kind: ListKind<Field>,
): List<Field> {
  const keepsPeople = keepsContacts(config);
  const list = readList(readListFile(file), file, kind, keepsPeople);
  const { header, rows, bad, questions } = list;
  if (questions.length === 0) throw invalidInput(`${file} has no row that identifies ${kind.what}.`, describeBad(bad));
  tell(`${formatCount(rows.length)} rows; ${formatCount(questions.length)} different ones to look up at the API.`);
  tellHeader(header);
  if (!keepsPeople) tellReduced(header.columns, header.cells);
  if (bad.length > 0)
    tell(`${formatCount(bad.length)} rows cannot be used (ops.rejects lists them). ${describeBad(bad)}`);
  return list;
}

/** Writes a prepared list to the data folder. @returns its name there, and its hash */
export async function storePrepared(data: Data, prepared: PreparedList): Promise<{ name: string; hash: string }> {
  const text = writePrepared(prepared);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const name = `${hash}.json`;
  const list = listFile(data.dataDir, name);
  await writeFileAtomic(list, text);
  await data.give(list);
  return { name, hash };
}

function tellReduced(columns: readonly (string | undefined)[], cells: readonly string[]): void {
  const named = (field: string): string => cells.filter((_, i) => columns[i] === field).join(', ');
  if (columns.includes('email')) tell(`personalData is none: only the domain of ${named('email')} is used and kept.`);
  if (columns.includes('person')) tell(`personalData is none: ${named('person')} is ignored.`);
}

function describeBad(bad: readonly { line: number; problem: string }[]): string {
  return bad
    .slice(0, 3)
    .map(({ line, problem }) => `Line ${line}: ${problem}.`)
    .join(' ');
}
