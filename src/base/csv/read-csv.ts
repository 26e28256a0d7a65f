import { CsvError, parse } from 'csv-parse/sync';

/** A record of a CSV file. `line` is the line on which it starts, from 1. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** A line of a CSV file that cannot be read as a record. */
export interface CsvFault {
  line: number;
  problem: string;
  /** The text of the line in the file, at most 1,000 characters. */
  text: string;
  /** The cells, if the line was readable but the caller rejected the record. */
  cells?: string[];
}

/**
 * Why the caller rejects a record. `torn` is true if a missing quote may have joined several rows to one record. Then
 * only the first line is rejected, and reading continues with the second line of the record.
 */
export interface Refusal {
  problem: string;
  torn: boolean;
}

/** Callbacks of `readCsv`. */
export interface CsvRows {
  /** Receives a record. Returns why the record is rejected, or null. The first record is the header. */
  record: (record: CsvRecord) => Refusal | null;
  fault: (fault: CsvFault) => void;
  /** Receives the delimiter. Called before the first record. */
  delimiter?: (delimiter: string) => void;
}

/** Maximum number of characters of a line to show. They are enough to find the fault. */
const SHOWN = 1_000;

const NOT_CLOSED = 'a quoted field has no closing quote, or a quote inside it is not doubled';

const LF = 0x0a;
const CR = 0x0d;

class Torn extends Error {
  constructor(readonly problem: string) {
    super(problem);
  }
}

/**
 * Reads a CSV file in UTF-8 (RFC 4180, and the variants that spreadsheets usually write).
 * - Delimiter: the most frequent character in the first line among comma, semicolon, tab and `|`.
 * - Line ends: LF, CRLF or CR.
 * - Skipped: a byte order mark, Excel's `sep=;` and empty lines.
 *
 * A line that cannot be read is reported as a fault, and reading continues with the next line. So a missing closing
 * quote does not hide the rows after it.
 */
export function readCsv(file: Buffer, rows: CsvRows): void {
  const bytes = file.subarray(file.indexOf('\ufeff') === 0 ? 3 : 0);
  const lines = new LineCounter(bytes);
  const sep = /^"?sep=([^\r\n"])"?(?=[\r\n]|$)/i.exec(bytes.subarray(0, 16).toString());
  let at = sep === null ? 0 : lines.next(0);
  const delimiter = sep?.[1] ?? pickDelimiter(bytes.subarray(at, lines.next(at)).toString());
  rows.delimiter?.(delimiter);
  let width: number | null = null;
  // True after a fault, because the next lines may be the rest of a broken row. Becomes false at the first row with as
  // many cells as the header.
  let doubtful = false;

  const take = (start: number, end: number, cells: string[]): void => {
    if (cells.length === 1 && cells[0]?.trim() === '') return;
    // The record has several lines, but no cell contains a line break. This means that a quote was not closed: the
    // parser has dropped a line break between two adjacent quotes.
    if (lines.next(start) < end && !cells.some((cell) => /[\r\n]/.test(cell))) throw new Torn(NOT_CLOSED);
    const line = lines.at(start);
    if (doubtful && cells.length !== width) {
      rows.fault({ line, problem: 'it may be the rest of the broken row above it', text: shown(bytes, start, end) });
      return;
    }
    doubtful = false;
    const refusal = rows.record({ line, cells });
    width ??= cells.length;
    if (refusal === null) return;
    if (refusal.torn && lines.next(start) < end) throw new Torn(refusal.problem);
    rows.fault({ line, problem: refusal.problem, text: cells.join(' | ').slice(0, SHOWN), cells });
  };

  while (at < bytes.length) {
    const from = at;
    try {
      parse(bytes.subarray(from), {
        ...optionsOf(delimiter),
        on_record: (cells: string[], info) => {
          const start = lines.skipEmpty(at);
          const end = from + info.bytes;
          take(start, end, cells);
          at = end;
          return null;
        },
      });
      return;
    } catch (error) {
      if (!(error instanceof Torn || error instanceof CsvError)) throw error;
      const start = lines.skipEmpty(at);
      const next = lines.next(start);
      const cells =
        error instanceof CsvError && !doubtful ? withStrayQuotes(bytes.subarray(start, next), delimiter) : null;
      if (cells !== null) {
        take(start, next, cells);
        at = next;
        continue;
      }
      // The parser has read all fields before the error, including their line breaks. So the quote that is never closed
      // comes after these fields.
      const opened = error instanceof CsvError ? Math.max(start, from + Number(error['bytes'] ?? 0)) : start;
      rows.fault({
        line: lines.at(opened),
        problem: problemOf(error),
        text: shown(bytes, lines.begin(opened), bytes.length),
      });
      doubtful = width !== null;
      at = lines.next(opened);
    }
  }
}

function optionsOf(delimiter: string) {
  return {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  };
}

/** Splits a single line in which quotes are plain text (`The "Best" Ltd`). Returns null if a field is quoted. */
function withStrayQuotes(line: Buffer, delimiter: string): string[] | null {
  // A quote at the start of a cell opens a quoted field, so it is not plain text.
  const text = line.toString().trim();
  const cells = text.split(delimiter).map((cell) => cell.trim());
  return text === '' || cells.some((cell) => cell.startsWith('"')) ? null : cells;
}

function problemOf(error: Torn | CsvError): string {
  if (error instanceof Torn) return error.problem;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is opened but never closed';
  return NOT_CLOSED;
}

function shown(bytes: Buffer, start: number, end: number): string {
  const line = bytes.subarray(start, Math.min(end, start + SHOWN)).toString();
  return line.split(/[\r\n]/, 1)[0] ?? '';
}

/** Returns the most frequent delimiter in the header. Ignores text in quotes. */
function pickDelimiter(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return [',', ';', '\t', '|'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** Counts the lines of a file as an editor does. */
class LineCounter {
  #line = 1;
  #begin = 0;

  constructor(private readonly bytes: Buffer) {}

  /** Returns the line number of a position. The position must not be lower than in the previous call. */
  at(position: number): number {
    for (;;) {
      const next = this.next(this.#begin);
      if (next > position || next === this.bytes.length) return this.#line;
      this.#begin = next;
      this.#line++;
    }
  }

  /** Returns the start of the line after this position. */
  next(position: number): number {
    const { bytes } = this;
    for (let i = position; i < bytes.length; i++) {
      if (bytes[i] === LF) return i + 1;
      if (bytes[i] === CR) return bytes[i + 1] === LF ? i + 2 : i + 1;
    }
    return bytes.length;
  }

  /** Returns the start of the line that contains this position. */
  begin(position: number): number {
    let start = position;
    while (start > 0 && this.bytes[start - 1] !== LF && this.bytes[start - 1] !== CR) start--;
    return start;
  }

  /** Returns this position, or the first later position that is not in an empty line. */
  skipEmpty(position: number): number {
    let start = position;
    for (;;) {
      const end = this.next(start);
      if (end === start || this.bytes.subarray(start, end).toString().trim() !== '') return start;
      start = end;
    }
  }
}
