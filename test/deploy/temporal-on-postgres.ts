import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/cli/terminal/ports.js';
import { ROOT } from '../helpers/processes.js';
import { startPostgresServer } from '../helpers/postgres-server.js';
import { waitUntil } from '../helpers/sandbox.js';
import type { ComposeFile } from './compose-file.js';

/*
 * Runs the services postgres, temporal-schema, temporal and temporal-namespace of docker-compose.yml without containers.
 * TIDEMARK_TEST_TEMPORAL names a folder with the programs of the images, and the configuration of the server. See
 * docs/testing.md.
 */

const FOLDER = process.env['TIDEMARK_TEST_TEMPORAL'];

/** Why the services cannot run here; null if they can. */
export function missingForPostgres(): string | null {
  const absent = ['initdb', 'pg_ctl', 'postgres', 'psql', 'pg_dumpall', 'createdb', 'temporal'].filter(
    (program) => find(program) === null,
  );
  if (absent.length > 0) return `not installed: ${absent.join(', ')}`;
  if (FOLDER === undefined) return 'TIDEMARK_TEST_TEMPORAL names no folder with the Temporal server';
  const files = ['server', 'sql', 'config/docker.yaml'].filter((file) => !existsSync(path.join(FOLDER, file)));
  return files.length > 0 ? `${FOLDER} lacks ${files.join(', ')}` : null;
}

export interface TemporalOnPostgres {
  /** `host:port` of the server. */
  address: string;
  /** Runs the script of a one-shot service, and returns its output, both streams. */
  runOnce(service: string): string;
  /** Returns all databases as SQL, as docs/operations.md backs them up. */
  dump(): string;
  /** What `psql` complained about while it read the dump, one line each. */
  complaints: string[];
  /** Kills the Temporal server and starts it again. */
  restartServer(): Promise<void>;
  /** Stops only the Temporal server. */
  stopServer(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL and the Temporal server with the settings of docker-compose.yml, but with other ports.
 * @param restore a dump that PostgreSQL reads before the Temporal server starts
 */
export async function startTemporalOnPostgres(
  { services, secrets }: ComposeFile,
  restore?: string,
): Promise<TemporalOnPostgres> {
  const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-postgres-'));
  const [sqlPort = 0, frontend = 0, ...others] = await freePorts(12);
  const passwordFile = path.join(ROOT, secrets['postgres-password']?.file ?? '');
  const place = (text: string): string =>
    text
      .replace('/run/secrets/postgres-password', passwordFile)
      .replace('/scripts/', `${path.join(ROOT, 'deploy/compose')}/`)
      .replace('/etc/tidemark/', `${path.join(ROOT, 'deploy/compose')}/`)
      .replace('temporal:7233', `127.0.0.1:${frontend}`)
      .replace(/^postgres$/, '127.0.0.1')
      .replace(/^0\.0\.0\.0$/, '127.0.0.1')
      .replace(/^5432$/, String(sqlPort));
  const environmentOf = (service: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(services[service]?.environment ?? {}).map(([name, value]) => [name, place(value)]),
    );

  const bin = path.join(dir, 'bin');
  mkdirSync(bin);
  symlinkSync(path.join(FOLDER ?? '', 'server'), path.join(bin, 'temporal-server'));
  symlinkSync(path.join(FOLDER ?? '', 'sql'), path.join(bin, 'temporal-sql-tool'));
  const PATH = `${bin}:${process.env['PATH']}`;

  const user = services['postgres']?.environment?.['POSTGRES_USER'] ?? '';
  const initdb = [`--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const postgres = startPostgresServer(dir, { user, port: sqlPort, initdb });
  const runOnce = (service: string): string => {
    const [program = '', ...args] = (services[service]?.command ?? []).map(place);
    const env = { PATH, HOME: dir, ...environmentOf(service) };
    const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${service} ended with code ${status}:\n${stdout}${stderr}`);
    return stdout + stderr;
  };
  const sql = (program: string, args: string[], input?: string): { stdout: string; stderr: string } => {
    const env = { PATH, PGPASSWORD: readFileSync(passwordFile, 'utf8').trim() };
    const login = ['--host=127.0.0.1', `--port=${sqlPort}`, `--username=${user}`];
    const run = spawnSync(program, [...login, ...args], { env, input, encoding: 'utf8', maxBuffer: 256 * 1024 ** 2 });
    if (run.status !== 0) throw new Error(`${program} ended with code ${run.status}:\n${run.stderr}`);
    return run;
  };
  // The image of PostgreSQL creates a database with the name of the user.
  sql('createdb', [user]);
  const { stderr = '' } = restore === undefined ? {} : sql('psql', ['--dbname=postgres', '--quiet'], restore);
  const complaints = stderr.split('\n').filter((line) => line !== '');
  runOnce('temporal-schema');

  const names = ['FRONTEND_HTTP', 'FRONTEND_MEMBERSHIP', 'HISTORY_GRPC', 'HISTORY_MEMBERSHIP', 'MATCHING_GRPC'];
  const ports = [...names, 'MATCHING_MEMBERSHIP', 'WORKER_GRPC', 'WORKER_MEMBERSHIP'].map((name, index) => [
    `${name}_PORT`,
    String(others[index]),
  ]);
  // The image's entry point runs `temporal-server start` with the configuration in the image.
  const start = `exec temporal-server --root ${FOLDER} --config config --env docker start`;
  const [shell = '', ...args] = (services['temporal']?.command ?? []).map((part) =>
    place(part).replace('exec /etc/temporal/entrypoint.sh', start),
  );
  const log = path.join(dir, 'temporal.log');
  const spawnServer = (): ChildProcess => {
    const logFile = openSync(log, 'a');
    const spawned = spawn(shell, args, {
      env: {
        PATH,
        ...environmentOf('temporal'),
        FRONTEND_GRPC_PORT: String(frontend),
        ...(Object.fromEntries(ports) as Record<string, string>),
      },
      // Not a pipe: while `runOnce` blocks this process, nobody would read the pipe, and the server would block, too.
      stdio: ['ignore', logFile, logFile],
    });
    closeSync(logFile);
    return spawned;
  };
  let server = spawnServer();
  const stopServer = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  const stop = async (): Promise<void> => {
    await stopServer();
    postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  const address = `127.0.0.1:${frontend}`;
  const untilHealthy = (): Promise<void> =>
    waitUntil('the Temporal server answers', async () => {
      if (server.exitCode !== null)
        throw new Error(
          `temporal-server ended with code ${server.exitCode}:\n${readFileSync(log, 'utf8').slice(-5_000)}`,
        );
      return isHealthy(address);
    });
  const restartServer = async (): Promise<void> => {
    await stopServer('SIGKILL');
    server = spawnServer();
    await untilHealthy();
  };
  try {
    await untilHealthy();
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, runOnce, dump: () => sql('pg_dumpall', []).stdout, complaints, restartServer, stopServer, stop };
}

/** Finds ports that nothing listens on now, below those that the system gives to outgoing connections. */
export async function freePorts(count: number): Promise<number[]> {
  const from = 15_000 + Math.floor(Math.random() * 15_000);
  const found: number[] = [];
  while (found.length < count) found.push(await freePort(from, found));
  return found;
}

function isHealthy(address: string): boolean {
  try {
    execFileSync('temporal', ['operator', 'cluster', 'health', '--address', address], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function find(program: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file)) ?? null;
}
