import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fastify from 'fastify';
import { hasErrorCode, TidemarkError } from '../../base/errors.js';
import { createLimitedServer, type ServerLimits } from '../../base/network/limited-server.js';
import { BuildPool, currentIn, type FindBuild } from './data/build-pool.js';
import { answerErrors } from './errors.js';
import { secureHeaders } from './headers.js';
import { servePages } from './pages.js';
import { guard } from './session.js';
import { aboutRoutes } from './routes/about.js';
import { marketRoutes } from './routes/markets.js';
import { operationRoutes, type AskFates, type ReadLive } from './routes/operations.js';
import { companyRoutes } from './routes/company.js';
import { savedRoutes } from './routes/saved.js';
import { schemaRoutes } from './routes/schema.js';
import { searchRoutes } from './routes/search.js';
import { sqlRoutes } from './routes/sql.js';
import { tenderRoutes } from './routes/tenders.js';
import { SavedQueries } from './user-sql/saved-queries.js';
import { MINUTE_MS } from '../../base/time/time.js';

/** Options of `startExplorer`. */
export interface ExplorerOptions {
  /** Data folder, or the place of a copy. The pages show it. */
  dataDir: string;
  /** Finds the current build. If left out: in `dataDir`. */
  findBuild?: FindBuild;
  /** The built front-end. */
  assets: string;
  /** Port on 127.0.0.1; 0 takes a free one. */
  port: number;
  /** Folder of saved queries. */
  savedQueries: string;
  version: string;
  /** Address of the Temporal UI; null if unknown. */
  temporalUi: () => string | null;
  readLive: ReadLive;
  askFates: AskFates;
  /** Opens the build at the first request, not at once, and closes it after ten minutes without a request. */
  waits?: boolean;
  limits?: Partial<ServerLimits>;
}

const IDLE_MS = 10 * MINUTE_MS;
/** One browser has six connections. */
const LIMITS: ServerLimits = { connections: 64, requests: 32, headersMs: 5_000, requestMs: 30_000, idleMs: 60_000 };

/** A running explorer. */
export interface Explorer {
  /** Address with the token, for the user's browser. */
  address: string;
  port: number;
  close(): Promise<void>;
}

/**
 * Starts the explorer on 127.0.0.1.
 * @throws TidemarkError `InvalidInput` when the port is taken
 */
export async function startExplorer(options: ExplorerOptions): Promise<Explorer> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'tidemark-ui-'));
  const token = randomBytes(24).toString('base64url');
  const app = fastify({
    bodyLimit: 1_000_000,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    serverFactory: (handle) => createLimitedServer({ ...LIMITS, ...options.limits }, handle),
  });
  const pool = new BuildPool(
    options.findBuild ?? currentIn(options.dataDir),
    scratch,
    options.waits ? IDLE_MS : undefined,
  );
  let port = options.port;
  secureHeaders(app);
  guard(app, { token, ports: () => [port] });
  answerErrors(app);
  const saved = new SavedQueries(options.savedQueries);
  const routes = { pool };
  aboutRoutes(app, routes, { ...options, savedQueries: saved.folder });
  searchRoutes(app, routes);
  companyRoutes(app, routes);
  schemaRoutes(app, routes);
  sqlRoutes(app, routes, scratch);
  marketRoutes(app, routes);
  tenderRoutes(app, routes);
  operationRoutes(app, routes, options.readLive, options.askFates);
  savedRoutes(app, saved);
  servePages(app, options.assets);
  const close = async (): Promise<void> => {
    await app.close();
    await pool.close();
    rmSync(scratch, { recursive: true, force: true });
  };
  try {
    await app.listen({ host: '127.0.0.1', port });
  } catch (error) {
    await close();
    if (!hasErrorCode(error, 'EADDRINUSE')) throw error;
    throw new TidemarkError('InvalidInput', `Port ${port} on 127.0.0.1 is in use.`, {
      todo: 'Choose another one with --port, or leave out --port to take a free one.',
      cause: error,
    });
  }
  port = (app.server.address() as AddressInfo).port;
  // Open the build now, so that the first page and the first search are fast.
  if (!options.waits) void pool.use(async () => undefined).catch(() => undefined);
  return { address: `http://127.0.0.1:${port}/?token=${token}`, port, close };
}
