import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { QueryAnswer } from '../../../../schemas/explorer/api.js';
import { errorMessage, TidemarkError } from '../../../base/errors.js';
import { NICE, yieldCpu } from '../../../base/yield-cpu.js';
import { forParquet } from '../../../warehouse/duckdb/parquet-types.js';
import { toPlain, type PlainValue } from '../../../warehouse/duckdb/plain-value.js';
import { quote } from '../../../warehouse/duckdb/sql-files.js';
import { streamRows } from '../../../warehouse/duckdb/stream-rows.js';
import { writeCsv } from '../../../warehouse/duckdb/write-rows.js';
import { checkStatements } from './allowed.js';
import { MAX_ANSWER, MAX_CELL, MAX_EXPORT, MAX_MEMORY } from './limits.js';
import { lockedInstance } from './locked-instance.js';
import type { FromProcess, Job, ToProcess } from './messages.js';
import { startWatchdog } from './watchdog.js';

/*
 * Main module of a process that runs queries of people. Such a query can end its process, or take all memory of it.
 * Then only this process ends. Arguments: the published file, and a private folder for temporary files and exports.
 */

const [file = '', scratch = ''] = process.argv.slice(2);
yieldCpu(NICE.query);
const watchdog = startWatchdog({ memory: MAX_MEMORY, fileBytes: MAX_EXPORT });
let instance: DuckDBInstance | undefined;
let resume: (() => void) | undefined;

// An exit would wait for the query in progress. The parent may even have ended before this module was loaded.
const end = (): void => void process.kill(process.pid, 'SIGKILL');
process.on('disconnect', end);
if (!process.connected) end();
process.on('message', (message: ToProcess) => {
  if (message.type === 'more') resume?.();
  else void run(message.job);
});

function send(message: FromProcess): void {
  process.send?.(message);
}

async function run(job: Job): Promise<void> {
  watchdog.begin(job.kind === 'parquet' ? job.target : null);
  try {
    instance ??= await lockedInstance(file, scratch);
    const connection = await instance.connect();
    try {
      const statements = await checkStatements(connection, job.sql);
      for (const statement of statements.slice(0, -1)) await connection.run(statement);
      send({ type: 'done', text: await runLast(connection, job, statements.at(-1) ?? '', statements.length) });
    } finally {
      connection.closeSync();
    }
  } catch (error) {
    send({ type: 'failed', ...explain(error) });
  } finally {
    watchdog.end();
  }
}

async function runLast(connection: DuckDBConnection, job: Job, sql: string, statements: number): Promise<string> {
  if (job.kind === 'answer') return answer(connection, sql, job);
  if (job.kind !== 'parquet') {
    await exportRows(connection, sql, job.kind);
    return '';
  }
  if (statements > 1)
    throw new TidemarkError('InvalidInput', 'An export takes one statement.', { todo: 'Remove the other statements.' });
  const exact = await forParquet(sql, async (text) => {
    const described = await connection.runAndReadAll(text);
    return described.getRows().map(([name, type]) => ({ name: name as string, type: type as string }));
  });
  await connection.run(`COPY (${exact}\n) TO ${quote(job.target)} (FORMAT parquet, COMPRESSION zstd)`);
  return '';
}

/** Returns the first rows of a query as JSON (see `QueryAnswer`). */
async function answer(
  connection: DuckDBConnection,
  sql: string,
  limit: { rows: number; build: string },
): Promise<string> {
  const startedAt = performance.now();
  const { columns, types, chunks } = await streamRows(connection, sql);
  const rows: PlainValue[][] = [];
  let size = 0;
  let more = false;
  for await (const chunk of chunks) {
    for (const values of chunk) {
      more = rows.length === limit.rows || size > MAX_ANSWER;
      if (more) break;
      const row = values.map((value) => shorten(toPlain(value)));
      size += row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 12), 0);
      rows.push(row);
    }
    if (more) break;
  }
  const answered: QueryAnswer = {
    columns: columns.map((name, i) => ({ name, type: String(types[i]) })),
    rows,
    more,
    full: size > MAX_ANSWER,
    milliseconds: Math.round(performance.now() - startedAt),
    build: limit.build,
  };
  return JSON.stringify(answered);
}

function shorten(value: PlainValue): PlainValue {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}… cut` : value;
}

/** Sends all rows of a query, a chunk of rows at a time. */
async function exportRows(connection: DuckDBConnection, sql: string, format: 'csv' | 'arrow'): Promise<void> {
  const rows = await streamRows(connection, sql);
  async function* batches(): AsyncGenerator<PlainValue[][]> {
    for await (const chunk of rows.chunks) yield chunk.map((row) => row.map(toPlain));
  }
  if (format === 'csv') return writeCsv({ columns: rows.columns, batches: batches() }, sendPiece());
  const { writeArrow } = await import('../../../warehouse/duckdb/arrow.js');
  return writeArrow(rows, 'stream', sendPiece());
}

/** Returns a function that sends a piece of an export, and waits until the parent wants more. */
function sendPiece(): (piece: string | Uint8Array) => Promise<void> {
  let bytes = 0;
  return async (piece) => {
    bytes += Buffer.byteLength(piece);
    if (bytes > MAX_EXPORT) throw new TidemarkError('InvalidInput', tooLarge, { todo: selectFewer });
    const ready = new Promise<void>((resolve) => (resume = resolve));
    send({ type: 'piece', piece });
    await ready;
  };
}

const tooLarge = `The export is larger than ${MAX_EXPORT / 2 ** 30} GiB.`;
const selectFewer = 'Select fewer rows or columns.';

function explain(error: unknown): { message: string; todo: string } {
  if (error instanceof TidemarkError) return { message: error.message, todo: error.todo };
  const message = errorMessage(error);
  if (/Permission Error|disabled by configuration|configuration has been locked/i.test(message))
    return { message, todo: 'Queries of the explorer read the published tables only, and cannot change settings.' };
  if (/Out of Memory Error/i.test(message)) return { message, todo: selectFewer };
  return { message, todo: 'Correct the query. The list next to the editor has all tables and columns.' };
}
