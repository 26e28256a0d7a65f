import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts } from '../deploy/temporal-on-postgres.js';
import { startPostgresServer } from '../helpers/postgres-server.js';

/** A PostgreSQL server on 127.0.0.1 with the user `test` and no password. */
export interface Postgres {
  port: number;
  stop: () => void;
}

/** Whether the programs of PostgreSQL are on the PATH. */
export function hasPostgres(): boolean {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return ['initdb', 'pg_ctl'].every((program) => folders.some((folder) => existsSync(path.join(folder, program))));
}

/** Starts a server with an empty database `postgres`. */
export async function startPostgres(): Promise<Postgres> {
  const root = mkdtempSync(path.join(tmpdir(), 'tidemark-postgres-'));
  const [port = 0] = await freePorts(1);
  const server = startPostgresServer(root, { user: 'test', port, initdb: ['--auth=trust'] });
  const stop = (): void => {
    server.stop();
    rmSync(root, { recursive: true, force: true });
  };
  return { port, stop };
}
