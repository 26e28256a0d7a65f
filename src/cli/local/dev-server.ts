import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { TidemarkError } from '../../base/errors.js';
import { devServerLock, devServerStartLock, TEMPORAL_DATABASE, temporalDir } from '../../store/data-folder.js';
import { withoutSecrets } from '../../config/secret-variables.js';
import { findPlace, processExists } from '../../store/lock/holder.mjs';
import { tryLock, withLock, type Lock } from '../../store/lock/lock.js';
import {
  forgetDevServer,
  readDevServer,
  writeDevServer,
  type DevServerState,
} from '../../temporal/dev-server-state.js';
import { routeToTemporal } from '../../temporal/proxy.js';
import { DEV_SERVER_ATTRIBUTES } from '../../temporal/search-attributes.js';
import { spawnGuarded } from './spawn-guarded.js';

const READY_TIMEOUT_MS = 60_000;
const START_WAIT_MS = 90_000;

/** A running Temporal dev server. */
export interface DevServer {
  address: string;
  /** URL of the web UI. */
  ui: string;
  /** True when another `up` or `demo` owns the server and will stop it. */
  shared: boolean;
  died: Promise<never>;
  readonly stop: () => Promise<void>;
}

/** Options of `startDevServer`, for the case that no server of the data folder is running. */
export interface DevServerOptions {
  dataDir: string;
  /** Finds the Temporal CLI; called only when a server must be started. */
  program: () => Promise<string>;
  ports: () => Promise<{ port: number; uiPort: number }>;
  logFile: string;
}

/**
 * Returns the Temporal dev server of a data folder. Its database is in the folder. The lock `owner.lock` decides:
 * - lock taken: another `up` or `demo` owns the server. Shares the server and does not stop it.
 * - lock free, server runs: its owner was killed. Takes over the server and stops it later.
 * - lock free, no server: starts a new one on the given ports and stops it later.
 * @throws TidemarkError when the server does not answer, or belongs to another container or machine
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { dataDir } = options;
  // Only one process at a time may start a server: two servers on one database would corrupt it.
  const startLock = { what: 'the start of a Temporal dev server', waitMs: START_WAIT_MS };
  return withLock(devServerStartLock(dataDir), startLock, async () => {
    const { lock, holder } = await tryLock(devServerLock(dataDir), { what: 'the owner of the Temporal dev server' });
    const running = readDevServer(dataDir);
    if (lock === undefined) return share(dataDir, running, holder);
    try {
      return running === null ? await start(options, lock) : await takeOver(dataDir, running, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

async function start({ dataDir, program, ports, logFile }: DevServerOptions, owner: Lock): Promise<DevServer> {
  const found = await program();
  const command = path.basename(found) === found ? found : path.resolve(found);
  const { port, uiPort } = await ports();
  const address = `127.0.0.1:${port}`;
  const ui = `http://127.0.0.1:${uiPort}`;
  const server = spawnGuarded({
    what: 'The Temporal dev server',
    command,
    args: `server start-dev --ip 127.0.0.1 --port ${port} --ui-port ${uiPort} --log-level warn`.split(' ').concat([
      '--db-filename',
      // Give a name without a folder. The server reads the path as a URL, in which `?`, `#` and `%` have a meaning.
      TEMPORAL_DATABASE,
      ...DEV_SERVER_ATTRIBUTES,
    ]),
    cwd: temporalDir(dataDir),
    env: devServerEnvironment(process.env),
    logFile,
  });
  try {
    await Promise.race([untilReady(address), server.died]);
    const pid = await server.pid;
    await writeDevServer(dataDir, { pid, place: findPlace(), address, ui });
    const stop = async (): Promise<void> => {
      await server.stop();
      forgetDevServer(dataDir, pid);
      owner.release();
    };
    return { address, ui, shared: false, died: server.died, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * Returns the environment of the dev server, without secrets. The server looks up the user's account unless `USER` is
 * set. In a container with an arbitrary user id, there is no account, and the server would not start.
 */
export function devServerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...withoutSecrets(env), USER: env['USER'] || 'tidemark', HOME: env['HOME'] || '/' };
}

/** Shares the server that another `up` or `demo` owns. */
async function share(dataDir: string, state: DevServerState | null, holder: string): Promise<DevServer> {
  if (state === null) {
    throw new TidemarkError('Internal', `The Temporal dev server of ${dataDir} belongs to ${holder}.`, {
      todo: 'That process runs in another container or on another machine. Stop it there, use another data folder (TIDEMARK_DATA), or set TEMPORAL_ADDRESS.',
    });
  }
  await requireAnswer(state);
  const { address, ui } = state;
  return { address, ui, shared: true, died: new Promise<never>(() => undefined), stop: async () => undefined };
}

/** Takes over a server that its killed owner left running; this process stops it at the end. */
async function takeOver(dataDir: string, state: DevServerState, owner: Lock): Promise<DevServer> {
  await requireAnswer(state);
  const { address, ui, pid } = state;
  return {
    address,
    ui,
    shared: false,
    died: new Promise<never>(() => undefined),
    async stop() {
      if (processExists(pid)) process.kill(pid, 'SIGTERM');
      for (let tries = 0; tries < 200 && processExists(pid); tries++) await delay(50);
      forgetDevServer(dataDir, pid);
      owner.release();
    },
  };
}

async function requireAnswer({ pid, address }: DevServerState): Promise<void> {
  if (await answers(address, 5_000)) return;
  throw new TidemarkError(
    'Internal',
    `The Temporal dev server of this data folder (process ${pid}) does not answer at ${address}.`,
    { todo: `End the process (kill ${pid}), then try again. Open runs continue where they stopped.` },
  );
}

async function untilReady(address: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (await answers(address, 1_000)) return;
    await delay(100);
  }
  throw new TidemarkError('Internal', `The Temporal dev server was not ready after ${READY_TIMEOUT_MS / 1000} s.`, {
    todo: 'Try again. If the error repeats, move data/temporal to another place. Tidemark then loses open runs and schedules, but no answer: `tidemark schedule apply` makes the schedules again, and the next run lands what lost runs left.',
  });
}

/** True when a server answers and has the namespace `default`. */
async function answers(address: string, timeoutMs: number): Promise<boolean> {
  try {
    // Turn off the retries of the client: a retry after the connection is closed would end the process (see
    // src/temporal/grpc-retries.ts). The caller calls this function again instead.
    const { channelArgs } = routeToTemporal(address);
    const connection = await Connection.connect({ address, channelArgs, connectTimeout: timeoutMs, interceptors: [] });
    try {
      await connection.withDeadline(Date.now() + timeoutMs, async () =>
        connection.workflowService.describeNamespace({ namespace: 'default' }),
      );
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}
