import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';

// PostgreSQL refuses to run as root.
const NOBODY = 65_534;

/**
 * Starts PostgreSQL on 127.0.0.1, as the user `nobody` if this process is root. Its programs must be on the PATH.
 * @param dir folder in which the server makes its own one
 * @param options `initdb`: more arguments of `initdb`, such as the way to sign in
 */
export function startPostgresServer(
  dir: string,
  { user, port, initdb }: { user: string; port: number; initdb: readonly string[] },
): { stop: () => void } {
  const data = path.join(dir, 'postgres');
  mkdirSync(data);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    chmodSync(dir, 0o755);
    chownSync(data, NOBODY, NOBODY);
  }
  const run = (program: string, ...args: string[]): void => {
    execFileSync(program, args, { ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}), cwd: data, stdio: 'ignore' });
  };
  const settings = `-p ${port} -k ${data} -c listen_addresses=127.0.0.1 -c fsync=off`;
  const files = path.join(data, 'files');
  run('initdb', '-D', files, '-U', user, ...initdb);
  run('pg_ctl', '-D', files, '-o', settings, '-l', path.join(data, 'log'), '-w', 'start');
  return { stop: () => run('pg_ctl', '-D', files, '-m', 'immediate', '-w', 'stop') };
}
