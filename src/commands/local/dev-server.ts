import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { TidemarkError } from '../../core/errors.js';
import { DATE_ATTRIBUTE, MARKET_ATTRIBUTE } from '../../../workflows/search-attributes.js';
import {
  forgetDevServer,
  isAlive,
  readDevServer,
  temporalDir,
  writeDevServer,
} from '../../temporal/dev-server-state.js';
import { withLock } from './lock.js';
import { spawnGuarded } from './spawn-guarded.js';

const READY_TIMEOUT_MS = 60_000;

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
  // Two servers over one database would corrupt it.
  return withLock(
    path.join(temporalDir(options.dataDir), 'starting.lock'),
    async () => (await reuse(options.dataDir)) ?? start(options),
  );
}

async function start({ dataDir, program, ports, logFile }: DevServerOptions): Promise<DevServer> {
  const command = await program();
  const { port, uiPort } = await ports();
  const address = `127.0.0.1:${port}`;
  const ui = `http://127.0.0.1:${uiPort}`;
  const server = spawnGuarded({
    what: 'The Temporal dev server',
    command,
    args: `server start-dev --ip 127.0.0.1 --port ${port} --ui-port ${uiPort} --log-level warn`
      .split(' ')
      .concat([
        '--db-filename',
        path.join(temporalDir(dataDir), 'temporal.db'),
        '--search-attribute',
        `${MARKET_ATTRIBUTE.name}=Keyword`,
        '--search-attribute',
        `${DATE_ATTRIBUTE.name}=Keyword`,
      ]),
    logFile,
  });
  try {
    await Promise.race([untilReady(address), server.died]);
    const pid = await server.pid;
    await writeDevServer(dataDir, { pid, owner: process.pid, address, ui });
    const stop = async (): Promise<void> => {
      await server.stop();
      forgetDevServer(dataDir, pid);
    };
    return { address, ui, shared: false, died: server.died, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The server another command runs for this folder; one whose owner is gone is taken over, so that it ends with us. */
async function reuse(dataDir: string): Promise<DevServer | null> {
  const state = readDevServer(dataDir);
  if (state === null) return null;
  if (!(await answers(state.address, 5_000))) {
    throw new TidemarkError(
      'Internal',
      `The Temporal dev server of this data folder (process ${state.pid}) does not answer at ${state.address}.`,
      {
        todo: `End it (kill ${state.pid}), then try again: what was running goes on where it stood.`,
      },
    );
  }
  const shared = isAlive(state.owner);
  if (!shared) await writeDevServer(dataDir, { ...state, owner: process.pid });
  return {
    address: state.address,
    ui: state.ui,
    shared,
    died: new Promise<never>(() => undefined),
    async stop() {
      if (shared) return;
      process.kill(state.pid, 'SIGTERM');
      for (let tries = 0; tries < 200 && isAlive(state.pid); tries++) await delay(50);
      forgetDevServer(dataDir, state.pid);
    },
  };
}

async function untilReady(address: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (await answers(address, 1_000)) return;
    await delay(100);
  }
  throw new TidemarkError('Internal', `The Temporal dev server was not ready after ${READY_TIMEOUT_MS / 1000} s.`, {
    todo: 'Try again; if it happens again, move data/temporal aside (runs in flight are forgotten, landed data is not).',
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
