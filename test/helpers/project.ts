import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance, type Json } from '@duckdb/node-api';
import { stringify } from 'yaml';
import type { Role } from '../../src/temporal/worker/worker-parts.js';
import { cleanEnv, findBuild, ROOT, startProcess, type RunningProcess } from './processes.js';

/** A user's folder: configuration, data folder and environment. */
export interface Project {
  dir: string;
  dataDir: string;
  /** The setting `data`. */
  data: string;
  published: string;
  /** Folder with the landed files. With the data in a bucket, the folder in which the gateway keeps them. */
  landing: string;
  env: NodeJS.ProcessEnv;
  /** Starts a worker of a queue (default: all). */
  startWorker(extra?: Record<string, string>, queue?: Role): Promise<RunningProcess>;
  /** Rows of a query on the published file, opened read-only. */
  query(sql: string): Promise<Record<string, Json>[]>;
  remove(): void;
}

export function makeProject(options: {
  api: { url: string; key: string };
  temporal: string;
  namespace?: string;
  config?: { data?: string; [section: string]: unknown };
  /** Where landed files are, if the data is in a bucket. */
  landing?: string;
  /** Seconds between two polls of a job about owners. Its workers serve all queues. */
  ownerPollSeconds?: number | undefined;
  /** More environment of all processes of the project. */
  env?: Record<string, string>;
}): Project {
  const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-e2e-'));
  const dataDir = path.join(dir, 'data');
  const published = path.join(dataDir, 'published', 'market.duckdb');
  const file = path.join(dir, 'tidemark.yaml');
  writeFileSync(
    file,
    stringify({
      api: { baseUrl: options.api.url },
      data: './data',
      markets: [{ name: 'demo' }],
      tenders: {},
      ...options.config,
    }),
  );
  const env = cleanEnv({
    TIDEMARK_CONFIG: file,
    TIDEMARK_API_KEY: options.api.key,
    TEMPORAL_ADDRESS: options.temporal,
    ...(options.namespace === undefined ? {} : { TEMPORAL_NAMESPACE: options.namespace }),
    ...options.env,
  });
  return {
    dir,
    dataDir,
    data: options.config?.data ?? './data',
    published,
    landing: options.landing ?? path.join(dataDir, 'landing'),
    env,
    startWorker: (extra = {}, queue = 'all') =>
      startProcess(workerArgs(queue, options.ownerPollSeconds), {
        env: { ...env, ...extra },
        ready: /^worker ready: /m,
      }),
    query: (sql) => queryFile(published, sql),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Node arguments of a worker of this build. With `ownerPollSeconds`, the worker polls jobs about owners at this interval. */
export function workerArgs(queue: Role, ownerPollSeconds: number | undefined, build?: string): string[] {
  if (ownerPollSeconds === undefined)
    return [
      build === undefined ? 'bin/tidemark.mjs' : path.join(build, 'src', 'cli', 'cli.js'),
      'worker',
      '--queue',
      queue,
    ];
  const script = path.join(ROOT, 'test', 'helpers', 'polling-worker.mjs');
  return [script, build ?? findBuild(), String(ownerPollSeconds)];
}

/** Rows of a query on a DuckDB file, opened read-only and closed afterwards. */
export async function queryFile(file: string, sql: string): Promise<Record<string, Json>[]> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  try {
    const connection = await instance.connect();
    try {
      return (await connection.runAndReadAll(sql)).getRowObjectsJson();
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}
