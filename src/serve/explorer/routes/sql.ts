import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { hasTables } from '../../../warehouse/builds/has-tables.js';
import { invalidInput } from '../../../base/errors.js';
import type { OpenBuild } from '../data/open-build.js';
import { DEFAULT_ROWS, DEFAULT_SECONDS, MAX_ROWS, MAX_RUNNING, MAX_SECONDS, MAX_TEXT } from '../user-sql/limits.js';
import type { JobOptions } from '../user-sql/query-processes.js';
import { BUILD_HEADER, clientGone, type Routes } from './context.js';

/** Media types of exports, by format. */
const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;

const Id = z.string().regex(/^[\w-]{8,64}$/);
const Asked = z.strictObject({
  id: Id,
  sql: z.string().max(MAX_TEXT),
  seconds: z.number().int().min(1).max(MAX_SECONDS).default(DEFAULT_SECONDS),
});
const Run = Asked.extend({ rows: z.number().int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS) });
const Export = Asked.extend({ format: z.enum(['csv', 'parquet', 'arrow']) });

/** Header of an export that names the latest night of its build, for the name of the file; empty without a night. */
const NIGHT_HEADER = 'x-tidemark-night';
const LATEST_NIGHT = 'SELECT CAST(max(date) AS VARCHAR) AS night FROM ops.nights';

async function latestNight(build: OpenBuild): Promise<string> {
  if (!hasTables(build.tables, LATEST_NIGHT)) return '';
  const [row] = await build.read(async (reader) => reader.rows<{ night: string | null }>(LATEST_NIGHT));
  return row?.night ?? '';
}

/**
 * Routes that run, export and cancel queries of people.
 * @param scratch private folder for the files of exports
 */
export function sqlRoutes(app: FastifyInstance, { pool }: Routes, scratch: string): void {
  const running = new Map<string, AbortController>();
  /** Runs `work` as the query `id`, which its signal can cancel. */
  const asQuery = async <T>(id: string, reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (running.has(id)) throw invalidInput('This query is running already.', 'Cancel it, or wait for its answer.');
    if (running.size >= MAX_RUNNING)
      throw invalidInput(`${MAX_RUNNING} queries are running already.`, 'Wait for one of them, or cancel one.');
    const controller = new AbortController();
    running.set(id, controller);
    // A slow client keeps the answer in memory, so the query counts until the client has it.
    reply.raw.once('close', () => running.delete(id));
    return work(AbortSignal.any([controller.signal, clientGone(reply)]));
  };

  app.post('/api/v1/query', async (request, reply) => {
    const { id, sql, rows, seconds } = Run.parse(request.body);
    return asQuery(id, reply, async (signal) =>
      pool.use(async (build) => {
        const text = await build.queries.run({ kind: 'answer', sql, rows, build: build.name }, { seconds, signal });
        return reply.header(BUILD_HEADER, build.name).type('application/json; charset=utf-8').send(text);
      }),
    );
  });

  app.post('/api/v1/export', async (request, reply) => {
    const { id, sql, format, seconds } = Export.parse(request.body);
    void reply.type(MEDIA_TYPES[format]).header('content-disposition', `attachment; filename="result.${format}"`);
    const make = async (build: OpenBuild, options: JobOptions, begun: (body: Readable) => void): Promise<void> => {
      void reply.header(BUILD_HEADER, build.name).header(NIGHT_HEADER, await latestNight(build));
      if (format !== 'parquet') await sendPieces(build, { kind: format, sql }, options, begun);
      else await sendFile(build, { kind: format, sql, target: path.join(scratch, randomUUID()) }, options, begun);
    };
    return new Promise<Readable>((resolve, reject) => {
      // An error before the first byte is answered as JSON. Later, `make` breaks the connection.
      asQuery(id, reply, async (signal) => pool.use(async (build) => make(build, { seconds, signal }, resolve))).catch(
        reject,
      );
    });
  });

  app.delete('/api/v1/query/:id', async (request, reply) => {
    const { id } = z.object({ id: Id }).parse(request.params);
    running.get(id)?.abort();
    return reply.code(204).send();
  });
}

/** Streams rows. If the query fails after the first rows, breaks the connection: the client then reports an error. */
async function sendPieces(
  build: OpenBuild,
  job: { kind: 'csv' | 'arrow'; sql: string },
  options: JobOptions,
  begun: (body: Readable) => void,
): Promise<void> {
  const body = new PassThrough();
  body.on('error', () => undefined);
  try {
    await build.queries.run(job, {
      ...options,
      onPiece: async (piece) => {
        begun(body);
        if (!body.write(piece)) await once(body, 'drain', { signal: options.signal });
      },
    });
    body.end();
  } catch (error) {
    body.destroy(error as Error);
    throw error;
  }
}

/** Sends rows as a file. It is complete before its first byte is sent. */
async function sendFile(
  build: OpenBuild,
  job: { kind: 'parquet'; sql: string; target: string },
  options: JobOptions,
  begun: (body: Readable) => void,
): Promise<void> {
  try {
    await build.queries.run(job, options);
    const body = createReadStream(job.target);
    begun(body);
    await once(body, 'close');
  } finally {
    await rm(job.target, { force: true });
  }
}
