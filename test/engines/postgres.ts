import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts } from '../deploy/temporal-on-postgres.js';

// PostgreSQL refuses to run as root.
const NOBODY = 65_534;

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
  const data = path.join(root, 'data');
  const files = path.join(data, 'files');
  mkdirSync(data);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    chmodSync(root, 0o755);
    chownSync(data, NOBODY, NOBODY);
  }
  const run = (program: string, ...args: string[]): void => {
    execFileSync(program, args, { ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}), cwd: data, stdio: 'ignore' });
  };
  const [port = 0] = await freePorts(1);
  run('initdb', '-D', files, '-U', 'test', '--auth=trust');
  const settings = `-p ${port} -k ${data} -c listen_addresses=127.0.0.1 -c fsync=off`;
  run('pg_ctl', '-D', files, '-o', settings, '-l', path.join(data, 'log'), '-w', 'start');
  const stop = (): void => {
    run('pg_ctl', '-D', files, '-m', 'immediate', '-w', 'stop');
    rmSync(root, { recursive: true, force: true });
  };
  return { port, stop };
}
