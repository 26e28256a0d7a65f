import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';

/**
 * Finds texts in the files of a folder: in their bytes, and in the rows of Parquet and DuckDB files, whose pages may be
 * compressed. No process may have a DuckDB file of the folder open.
 * @returns `file: text` for each text found in a file
 */
export async function findTexts(folder: string, texts: readonly string[]): Promise<string[]> {
  const forms = texts.map((text) => ({
    text,
    forms: new Set([text, JSON.stringify(text).slice(1, -1), escaped(text)]),
  }));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const found = new Set<string>();
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(folder, name);
      if (!statSync(file).isFile()) continue;
      for await (const bytes of contentOf(connection, file)) {
        for (const { text, forms: all } of forms) {
          if ([...all].some((form) => bytes.includes(form))) found.add(`${name}: ${text}`);
        }
      }
    }
    return [...found].toSorted();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
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
