import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { TidemarkError } from '../../core/errors.js';
import { DATE_ATTRIBUTE, MARKET_ATTRIBUTE } from '../../../workflows/search-attributes.js';
import { findPlace, processExists, tryLock, withLock, type Lock } from '../../core/lock.js';
import {
  devServerLock,
  forgetDevServer,
  readDevServer,
  temporalDir,
  writeDevServer,
  type DevServerState,
} from '../../temporal/dev-server-state.js';
import { spawnGuarded } from './spawn-guarded.js';

const READY_TIMEOUT_MS = 60_000;
const START_WAIT_MS = 90_000;

export interface DevServer {
  address: string;
  /** Address of the web UI. */
  ui: string;
  /** True: another `up` or `demo` runs it, and will stop it. */
  shared: boolean;
  died: Promise<never>;
  readonly stop: () => Promise<void>;
}

export interface DevServerOptions {
  dataDir: string;
  /** Path of the Temporal CLI; asked for only when a server has to be started. */
  program: () => Promise<string>;
  ports: () => Promise<{ port: number; uiPort: number }>;
  logFile: string;
}

/**
 * The Temporal dev server of a data folder: the one that runs there already, else a new one on the given ports, with
 * its database in the folder.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { dataDir } = options;
  // Two servers over one database would corrupt it.
  const startLock = { what: 'the start of a Temporal dev server', waitMs: START_WAIT_MS };
  return withLock(path.join(temporalDir(dataDir), 'start.lock'), startLock, async () => {
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
      // The server takes it for a URL, in which `?`, `#` and `%` are no part of a path: so the folder is not named.
      'temporal.db',
      '--search-attribute',
      `${MARKET_ATTRIBUTE.name}=Keyword`,
      '--search-attribute',
      `${DATE_ATTRIBUTE.name}=Keyword`,
    ]),
    cwd: temporalDir(dataDir),
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

/** The server that another `up` or `demo` runs for this folder, and will stop. */
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

/** A server whose owner was killed and left it running: it ends with us now. */
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
    { todo: `End it (kill ${pid}), then try again. Open runs continue where they stopped.` },
  );
}

async function untilReady(address: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (await answers(address, 1_000)) return;
    await delay(100);
  }
  throw new TidemarkError('Internal', `The Temporal dev server was not ready after ${READY_TIMEOUT_MS / 1000} s.`, {
    todo: 'Try again. If this repeats, move data/temporal away: open runs are lost, landed data is kept.',
  });
}

/** True when a server with a usable default namespace answers. */
async function answers(address: string, timeoutMs: number): Promise<boolean> {
  try {
    // No retries: we ask again ourselves, and none may be due when the connection is closed (see grpc-retries.ts).
    const connection = await Connection.connect({ address, connectTimeout: timeoutMs, interceptors: [] });
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
