import type { FastifyInstance } from 'fastify';
import { PassThrough } from 'node:stream';
import { once } from 'node:events';
import { z } from 'zod';
import { invalidInput } from '../../core/errors.js';
import { exportCsv, EXPORT_FORMATS, exportFile, MEDIA_TYPES, type CsvWriter } from '../user-sql/exports.js';
import { runQuery } from '../user-sql/run-query.js';
import { MAX_LENGTH } from '../user-sql/statements.js';
import { hasTables } from '../../builds/has-tables.js';
import type { OpenBuild } from '../data/open-build.js';
import { BUILD_HEADER, clientGone, type Routes } from './context.js';

const Id = z.string().regex(/^[\w-]{8,64}$/);
const Seconds = z.number().int().min(1).max(600).default(30);
const Run = z.strictObject({
  id: Id,
  sql: z.string().max(MAX_LENGTH),
  rows: z.number().int().min(1).max(50_000).default(1_000),
  seconds: Seconds,
});
const Export = z.strictObject({
  id: Id,
  sql: z.string().max(MAX_LENGTH),
  format: z.enum(EXPORT_FORMATS),
  seconds: Seconds,
});

/** Queries of users that run at the same time. More would only slow each other down. */
const MOST_RUNNING = 8;

/** Header of an export that names the latest night of its build, for the name of the file; empty without a night. */
const NIGHT_HEADER = 'x-tidemark-night';
const LATEST_NIGHT = 'SELECT CAST(max(date) AS VARCHAR) AS night FROM ops.nights';

async function latestNight(build: OpenBuild): Promise<string> {
  if (!hasTables(build.tables, LATEST_NIGHT)) return '';
  const [row] = await build.read(async (reader) => reader.rows<{ night: string | null }>(LATEST_NIGHT));
  return row?.night ?? '';
}

/** Options of the SQL routes. */
export interface SqlOptions {
  scratch: string;
  writeCsv: CsvWriter;
}

/** Routes that run, export and cancel queries of users. */
export function sqlRoutes(app: FastifyInstance, { pool }: Routes, { scratch, writeCsv }: SqlOptions): void {
  const running = new Map<string, AbortController>();
  const begin = (id: string, gone: AbortSignal): AbortSignal => {
    if (running.has(id)) throw invalidInput('This query is running already.', 'Cancel it, or wait for its answer.');
    if (running.size >= MOST_RUNNING)
      throw invalidInput(`${MOST_RUNNING} queries are running already.`, 'Wait for one of them, or cancel one.');
    const controller = new AbortController();
    running.set(id, controller);
    return AbortSignal.any([controller.signal, gone]);
  };

  app.post('/api/v1/query', async (request, reply) => {
    const { id, sql, rows, seconds } = Run.parse(request.body);
    const signal = begin(id, clientGone(reply));
    try {
      return await pool.use(async (build) => {
        void reply.header(BUILD_HEADER, build.name);
        return runQuery(build, sql, { rows, seconds }, signal);
      });
    } finally {
      running.delete(id);
    }
  });

  app.post('/api/v1/export', async (request, reply) => {
    const { id, sql, format, seconds } = Export.parse(request.body);
    const signal = begin(id, clientGone(reply));
    void reply.type(MEDIA_TYPES[format]).header('content-disposition', `attachment; filename="result.${format}"`);
    const nameBuild = async (build: OpenBuild): Promise<void> => {
      void reply.header(BUILD_HEADER, build.name).header(NIGHT_HEADER, await latestNight(build));
    };
    if (format !== 'csv') {
      try {
        return await pool.use(async (build) => {
          await nameBuild(build);
          return Buffer.from(await exportFile(build, sql, format, seconds, signal, scratch));
        });
      } finally {
        running.delete(id);
      }
    }
    const stream = new PassThrough();
    // The answer, or the cut connection, shows the error.
    stream.on('error', () => undefined);
    const sink = async (text: string): Promise<void> => {
      if (!stream.write(text)) await once(stream, 'drain', { signal });
    };
    // The first text shows that the query runs. Until then, an error can still be answered as JSON.
    let started = (): void => undefined;
    const begun = new Promise<void>((resolve) => (started = resolve));
    const work = pool
      .use(async (build) => {
        await nameBuild(build);
        await exportCsv(build, sql, seconds, signal, writeCsv, async (text) => {
          started();
          await sink(text);
        });
      })
      .then(
        () => void stream.end(),
        (error: unknown) => {
          // A cut connection tells the browser that the file is incomplete.
          stream.destroy(error as Error);
          throw error;
        },
      )
      .finally(() => running.delete(id));
    await Promise.race([begun, work]);
    work.catch(() => undefined);
    return stream;
  });

  app.delete('/api/v1/query/:id', async (request, reply) => {
    const { id } = z.object({ id: Id }).parse(request.params);
    running.get(id)?.abort();
    return reply.code(204).send();
  });
}
