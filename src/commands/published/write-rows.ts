import type { PlainValue } from '../../warehouse/plain-value.js';

/** Writes text out; resolves when the receiver wants more. */
export type Sink = (text: string) => Promise<void>;

interface Rows {
  columns: readonly string[];
  batches: AsyncIterable<PlainValue[][]>;
}

/** Rows as CSV (RFC 4180) with a header; lists and records as JSON, NULL as nothing. */
export async function writeCsv({ columns, batches }: Rows, sink: Sink): Promise<void> {
  await sink(csvLine(columns));
  for await (const batch of batches) await sink(batch.map(csvLine).join(''));
}

/** Rows as one JSON array of objects, a line each. */
export async function writeJson({ columns, batches }: Rows, sink: Sink): Promise<void> {
  let separator = '[\n';
  for await (const batch of batches) {
    for (const row of batch) {
      await sink(
        `${separator}${JSON.stringify(Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])))}`,
      );
      separator = ',\n';
    }
  }
  await sink(separator === '[\n' ? '[]\n' : '\n]\n');
}

function csvLine(values: readonly PlainValue[]): string {
  return `${values.map(csvValue).join(',')}\r\n`;
}

function csvValue(value: PlainValue): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // An empty text is quoted, so that it is not taken for NULL.
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
