/** A record of a CSV file and the line it begins on, from 1. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/**
 * The records of a CSV text (RFC 4180, and what spreadsheets make of it): fields in quotes may hold line breaks and doubled
 * quotes; comma, semicolon or tab, whichever the first line has most of; a byte order mark and empty lines are left out.
 */
export function parseCsv(text: string): CsvRecord[] {
  const source = text.replace(/^\ufeff/, '');
  const delimiter = pickDelimiter(source);
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let line = 1;
  let begun = 1;
  const endCell = (): void => {
    cells.push(cell);
    cell = '';
  };
  const endRecord = (): void => {
    endCell();
    if (cells.length > 1 || cells[0]?.trim() !== '') records.push({ line: begun, cells });
    cells = [];
    begun = line;
  };
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    if (char === '\n') line++;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (source[i + 1] === '"') cell += source[++i];
      else quoted = false;
    } else if (char === '"' && cell.trim() === '') {
      cell = '';
      quoted = true;
    } else if (char === delimiter) endCell();
    else if (char === '\n') endRecord();
    else if (char !== '\r' || source[i + 1] !== '\n') cell += char;
  }
  if (cell !== '' || cells.length > 0) endRecord();
  return records;
}

function pickDelimiter(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const count = (delimiter: string): number => first.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}
