import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ensureTemporalCli } from '../bootstrap/temporal.mjs';
import { startDevServer } from '../src/cli/local/dev-server.js';
import { freePort } from '../src/cli/terminal/ports.js';
import { TEMPORAL_DATABASE, temporalDir } from '../src/store/data-folder.js';
import { readDevServer } from '../src/temporal/dev-server-state.js';

/** A Temporal dev server whose database is a file, as `tidemark up` starts it. */
export interface TemporalServer {
  address: string;
  pid: number;
  /** Size of the database and its log. */
  databaseMiB: () => number;
  stop: () => Promise<void>;
}

/** Starts a dev server with its database below a folder. */
export async function startTemporalServer(folder: string): Promise<TemporalServer> {
  const { path: program } = await ensureTemporalCli({ log: () => undefined });
  const dataDir = path.join(folder, 'temporal');
  mkdirSync(temporalDir(dataDir), { recursive: true });
  const port = await freePort(17_233);
  const server = await startDevServer({
    dataDir,
    program: async () => program,
    ports: async () => ({ port, uiPort: await freePort(port + 1_000) }),
    logFile: path.join(folder, 'temporal.log'),
  });
  const database = path.join(temporalDir(dataDir), TEMPORAL_DATABASE);
  const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return {
    address: server.address,
    pid: readDevServer(dataDir)!.pid,
    databaseMiB: () => (size(database) + size(`${database}-wal`)) / 2 ** 20,
    stop: server.stop,
  };
}
