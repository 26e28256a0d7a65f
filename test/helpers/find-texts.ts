import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';

/**
 * Finds texts in the files of a folder, in UTF-8, UTF-16 and as JSON writes them: in their bytes, and in the rows of
 * Parquet and DuckDB files, whose pages may be compressed. No process may have a DuckDB file of the folder open.
 * @returns `file: text` for each text found in a file
 */
export async function findTexts(folder: string, texts: readonly string[]): Promise<string[]> {
  const forms = byStart(texts);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const found = new Set<string>();
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(folder, name);
      if (!statSync(file).isFile()) continue;
      for await (const bytes of contentOf(connection, file)) {
        for (const text of textsIn(bytes, forms)) found.add(`${name}: ${text}`);
      }
    }
    return [...found].toSorted();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const START = 4;

/** The forms in which a file may write the texts, as bytes, by their first bytes. */
function byStart(texts: readonly string[]): Map<number, { text: string; form: Buffer }[]> {
  const forms = new Map<number, { text: string; form: Buffer }[]>();
  for (const text of texts) {
    const written = [text, JSON.stringify(text).slice(1, -1), escaped(text), escaped(text).replaceAll('/', '\\/')];
    const wide = Buffer.from(text, 'utf16le');
    for (const form of [...[...new Set(written)].map((one) => Buffer.from(one)), wide, Buffer.from(wide).swap16()]) {
      if (form.length < START) throw new Error(`Cannot search for "${text}": it has less than ${START} bytes.`);
      const start = form.readInt32BE(0);
      forms.set(start, [...(forms.get(start) ?? []), { text, form }]);
    }
  }
  return forms;
}

function textsIn(content: Buffer | string, forms: ReturnType<typeof byStart>): Set<string> {
  const bytes = Buffer.from(content);
  const found = new Set<string>();
  let start = 0;
  for (const [at, byte] of bytes.entries()) {
    start = (start << 8) | byte;
    if (at < START - 1) continue;
    const from = at - START + 1;
    for (const { text, form } of forms.get(start) ?? []) {
      if (!found.has(text) && form.equals(bytes.subarray(from, from + form.length))) found.add(text);
    }
  }
  return found;
}

async function* contentOf(connection: DuckDBConnection, file: string): AsyncGenerator<Buffer | string> {
  const bytes = readFileSync(file);
  yield bytes;
  if (bytes.includes('DUCK') && bytes.indexOf('DUCK') === 8) yield* tablesOf(connection, file);
  else if (bytes.subarray(0, 4).toString() === 'PAR1') yield* rowsOf(connection, `read_parquet('${file}')`);
}

async function* tablesOf(connection: DuckDBConnection, file: string): AsyncGenerator<string> {
  await connection.run(`ATTACH '${file}' AS searched (READ_ONLY)`);
  try {
    const tables = await connection.runAndReadAll(
      `SELECT 'searched."' || schema_name || '"."' || table_name || '"' FROM duckdb_tables() WHERE database_name = 'searched'`,
    );
    for (const [table] of tables.getRows()) yield* rowsOf(connection, String(table));
  } finally {
    await connection.run('DETACH searched');
  }
}

async function* rowsOf(connection: DuckDBConnection, from: string): AsyncGenerator<string> {
  const rows = await connection.stream(`SELECT CAST(t AS VARCHAR) FROM ${from} AS t`);
  for (let chunk = await rows.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await rows.fetchChunk()) {
    yield chunk.getColumnValues(0).join('\n');
  }
}

/** The text as JSON writes it with ASCII characters only. */
function escaped(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
