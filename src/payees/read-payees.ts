import type { Payee } from '../../schemas/pipeline/payees.js';
import { TidemarkError } from '../core/errors.js';
import { readCsv, type CsvRecord, type Refusal } from '../resolve/read-csv.js';
import { requireText } from '../resolve/read-list.js';
import { readColumns, type PayeeColumns, type PayeeField } from './columns.js';
import { compact, isIban } from './iban.js';
import { isBic, payeeFault, takesIban } from './rules.js';

/** A row of a list, below the header. Either `payee` or `problem` is null. */
export interface PayeeRow {
  /** Line in the file, from 1. */
  line: number;
  cells: string[];
  payee: Payee | null;
  /** The field, the broken rule and what to do, without account numbers. */
  problem: string | null;
}

/** A list of payees. */
export interface PayeeList extends PayeeColumns {
  header: string[];
  rows: PayeeRow[];
}

const LONGEST = 500;

/**
 * Reads the payees of a CSV file. The first line names the columns. Applies the rules of the reference to each row.
 * @param name name of the file, for messages
 * @throws TidemarkError `InvalidInput` when the file is empty or not UTF-8 text, or no column holds accounts
 */
export function readPayees(file: Buffer, name: string): PayeeList {
  requireText(file, name);
  const rows: PayeeRow[] = [];
  const seen: { list: PayeeList | null; refused: CsvRecord | null } = { list: null, refused: null };
  readCsv(file, {
    record(record) {
      if (seen.list === null) {
        seen.list = { ...headerOf(record, name), header: record.cells, rows };
        return null;
      }
      const payee = payeeOf(record, seen.list.fields);
      const refusal = refusalOf(record, seen.list, payee);
      seen.refused = refusal === null || refusal.torn ? null : record;
      if (refusal === null) rows.push({ ...record, payee, problem: null });
      return refusal;
    },
    fault({ line, problem, text }) {
      if (seen.list === null)
        throw wrongList(
          `Line ${line} of ${name}, which names the columns, cannot be read: ${problem}.`,
          'Correct that line.',
        );
      const cells = seen.refused?.line === line ? seen.refused.cells : [text];
      rows.push({ line, cells, payee: null, problem });
    },
  });
  if (seen.list === null)
    throw wrongList(`${name} is empty.`, 'Its first line must name the columns, and each further line one payee.');
  return seen.list;
}

function headerOf({ line, cells }: CsvRecord, name: string): PayeeColumns {
  const columns = readColumns(cells);
  if (!columns.fields.includes('id')) {
    throw wrongList(
      `The first line of ${name} names no column with accounts.`,
      'Name a column iban, account_number or account; see "Lists for tidemark payees check" in docs/configuration.md.',
    );
  }
  const twice = cells.find((cell, i) => columns.fields[i] !== undefined && cells.indexOf(cell) < i);
  if (twice !== undefined)
    throw wrongList(`Line ${line} of ${name} names the column "${twice}" twice.`, 'Rename or remove one of the two.');
  return columns;
}

/** Makes the payee of a row. Of columns with the same meaning, uses the first with a value. */
function payeeOf({ cells }: CsvRecord, fields: readonly (PayeeField | undefined)[]): Payee {
  const payee: Payee = { id: '' };
  fields.forEach((field, i) => {
    const value = cells[i]?.trim() ?? '';
    if (field !== undefined && value !== '') payee[field] ||= value;
  });
  return normalised(payee);
}

/**
 * Writes codes in upper case and an IBAN without spaces. A row without a scheme whose account is an IBAN has the scheme
 * IBAN, or IBAN_BICFI with a BIC. The country of an IBAN is in its first two letters.
 */
function normalised(payee: Payee): Payee {
  const { id, holding_entity } = payee;
  const guessed = isIban(id)
    ? holding_entity !== undefined && isBic(holding_entity)
      ? 'IBAN_BICFI'
      : 'IBAN'
    : undefined;
  const scheme = payee.id_scheme?.toUpperCase() ?? guessed;
  const iban = scheme !== undefined && takesIban(scheme) && isIban(id);
  const country = payee.country_code?.toUpperCase() ?? (iban ? compact(id).slice(0, 2) : undefined);
  return {
    ...payee,
    ...(scheme === undefined ? {} : { id_scheme: scheme }),
    ...(country === undefined ? {} : { country_code: country }),
    ...(payee.identity_type === undefined ? {} : { identity_type: payee.identity_type.toUpperCase() }),
    id: iban ? compact(id) : id,
  };
}

/** Returns why a row is rejected; null when it can be sent. */
function refusalOf({ cells }: CsvRecord, { fields }: PayeeColumns, payee: Payee): Refusal | null {
  const torn = (problem: string): Refusal => ({ problem, torn: true });
  if (cells.length > fields.length) return torn(`it has ${cells.length} fields, but the header has ${fields.length}`);
  if (cells.some((cell) => cell.length > LONGEST)) return torn(`a field is longer than ${LONGEST} characters`);
  // A line break is common in an address, but rare in an account. If a delimiter follows the line break, the rest is
  // probably the next row.
  if (cells.some((cell, i) => fields[i] !== undefined && /[\r\n].*[,;\t|]/.test(cell)))
    return torn('a quoted field continues on the next line, so a closing quote may be missing');
  if (payee.id === '') return { problem: 'id: the row has no account. Fill in the account or the IBAN', torn: false };
  const fault = payeeFault(payee);
  if (fault === null) return null;
  return { problem: `${fault.field}: ${fault.rule}. ${fault.todo.replace(/\.$/, '')}`, torn: false };
}

function wrongList(what: string, todo: string): TidemarkError {
  return new TidemarkError('InvalidInput', what, { todo });
}
