import type { FastifyReply } from 'fastify';
import type { BuildPool } from '../data/build-pool.js';
import type { OpenBuild } from '../data/open-build.js';
import type { Reader } from '../../../warehouse/builds/reader.js';
import { readSqlFile } from '../../../warehouse/duckdb/sql-files.js';

/** What the routes share. */
export interface Routes {
  pool: BuildPool;
}

/** Header that names the build of an answer, so that a page notices a newer one. */
export const BUILD_HEADER = 'x-tidemark-build';

/** A signal that aborts when the client goes away before it has the answer. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Runs queries of a page on the current build. Stops them when the client goes away. */
export async function answer<T>(
  { pool }: Routes,
  reply: FastifyReply,
  work: (reader: Reader, build: OpenBuild) => Promise<T>,
): Promise<T> {
  return pool.use(async (build) => {
    void reply.header(BUILD_HEADER, build.name);
    return build.read(async (reader) => work(reader, build), clientGone(reply));
  });
}

/** Returns the text of a query in `sql/explorer`. */
export function query(name: string): string {
  return readSqlFile(`explorer/${name}.sql`).text;
}
