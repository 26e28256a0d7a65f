import type { Config } from '../../config/config.js';
import { logFile } from '../../store/data-folder.js';
import { makeDataFolder } from '../../store/file-modes.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { resolveTemporal } from '../../temporal/connect.js';
import { connectForFolder } from '../../temporal/connect-folder.js';
import { ensureSearchAttributes } from '../../temporal/search-attributes.js';
import { fetchThrough } from '../../base/network/connections.js';
import { readMetricsUrl, WORKER_READY } from '../worker/worker.js';
import { tell } from '../terminal/print.js';
import { startDevServer } from './dev-server.js';
import { freePort, requireFree } from '../terminal/ports.js';
import { recordSandbox } from '../running-sandbox.js';
import { startSandbox } from './sandbox-process.js';
import { spawnGuarded } from './spawn-guarded.js';
import { runOurs } from './tidemark-process.js';

/** TCP ports of 127.0.0.1 on which the servers should listen. */
export interface LocalPorts {
  temporal: number;
  ui: number;
  sandbox: number;
  /** Port of the worker's metrics; left out: as configured. */
  metrics?: number | undefined;
}

const PORTS: Record<keyof LocalPorts, { what: string; flag: string }> = {
  temporal: { what: 'Temporal', flag: '--port' },
  ui: { what: 'the Temporal UI', flag: '--ui-port' },
  sandbox: { what: 'the sandbox', flag: '--sandbox-port' },
  metrics: { what: "the worker's metrics", flag: '--metrics-port' },
};

/** Input of `startLocalStack`. */
export interface LocalOptions {
  config: Config;
  ports: LocalPorts;
  /** The ports that the user chose. If another process uses one of them, the start fails. Other ports: the next free one. */
  chosen?: ReadonlySet<keyof LocalPorts>;
  /** Arguments of the sandbox, without its port; null starts no sandbox. */
  sandbox: readonly string[] | null;
  /** Number of days by which the sandbox's market is ahead of the calendar. Default 0. */
  daysAhead?: number;
}

/** All processes that Tidemark needs on one machine: Temporal, a worker and, on request, the sandbox. */
export interface LocalStack {
  temporal: { address: string; ui: string | null };
  sandbox: { url: string; key: string } | null;
  /** Address of the worker's metrics; null if they are off. */
  metrics: string | null;
  /** Rejects with a TidemarkError when one of the processes ends unexpectedly. */
  died: Promise<never>;
  /** Stops all processes in reverse order: the worker lands its answers while Temporal is still available. */
  stop(): Promise<void>;
}

/**
 * Starts a Temporal dev server, the sandbox if requested, and a worker. Starts no Temporal server if TEMPORAL_ADDRESS
 * names one, or if one is running for the data folder. After any failure, stops the processes that were started.
 */
export async function startLocalStack(options: LocalOptions): Promise<LocalStack> {
  const { config } = options;
  makeDataFolder(config.dataDir);
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  const deaths: Promise<never>[] = [];
  const pickPort = async (of: keyof LocalPorts, wanted: number, taken: number[] = []): Promise<number> => {
    if (!options.chosen?.has(of)) return freePort(wanted, taken);
    const { what, flag } = PORTS[of];
    await requireFree(wanted, what, flag);
    return wanted;
  };
  try {
    const target = resolveTemporal(null);
    const temporal = { address: target.address, ui: target.ui };
    const upTemporal = async (): Promise<void> => {
      if (target.source === 'environment') return;
      const server = await startDevServer({
        dataDir: config.dataDir,
        program: findTemporal,
        ports: async () => {
          const port = await pickPort('temporal', options.ports.temporal, [options.ports.sandbox]);
          return {
            port,
            uiPort: await pickPort('ui', options.ports.ui, [port, options.ports.sandbox]),
          };
        },
        logFile: logFile(config.dataDir, 'temporal'),
      });
      stops.push(server.stop);
      deaths.push(server.died);
      temporal.address = server.address;
      temporal.ui = server.ui;
    };
    const upSandbox = async (): Promise<LocalStack['sandbox']> => {
      if (options.sandbox === null) return null;
      const port = await pickPort('sandbox', options.ports.sandbox);
      const sandbox = await startSandbox(
        ['--port', String(port), ...options.sandbox],
        logFile(config.dataDir, 'sandbox'),
      );
      stops.push(sandbox.stop);
      deaths.push(sandbox.died);
      const started = { url: sandbox.sandbox, key: sandbox.key };
      const forget = await recordSandbox(config.dataDir, { ...started, days: options.daysAhead ?? 0 });
      stops.push(async () => forget());
      return started;
    };
    // Wait for both starts before reporting a failure, so that a process that is still starting is stopped, too.
    const [temporalUp, sandboxUp] = await Promise.allSettled([upTemporal(), upSandbox()]);
    if (temporalUp.status === 'rejected') throw temporalUp.reason;
    if (sandboxUp.status === 'rejected') throw sandboxUp.reason;
    const sandbox = sandboxUp.value;
    // This process must use the same server from now on.
    process.env['TEMPORAL_ADDRESS'] = temporal.address;
    await setup(config.dataDir);
    const wanted = options.ports.metrics ?? config.metrics?.port;
    const metricsPort = wanted ? await pickPort('metrics', wanted) : wanted;
    const worker = spawnGuarded({
      what: 'The worker',
      ...runOurs('src/cli/cli.ts', [
        'worker',
        ...(metricsPort === undefined ? [] : ['--metrics-port', String(metricsPort)]),
        '--config',
        config.file,
      ]),
      env: workerEnvironment(config, sandbox),
      logFile: logFile(config.dataDir, 'worker'),
    });
    stops.push(worker.stop);
    deaths.push(worker.died);
    const ready = await worker.line((line) => (line.startsWith(WORKER_READY) ? line : null), 120_000);
    return { temporal, sandbox, metrics: readMetricsUrl(ready), died: Promise.race(deaths), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function workerEnvironment(config: Config, sandbox: LocalStack['sandbox']): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, TIDEMARK_DATA: config.dataDir };
  if (sandbox) {
    env['TIDEMARK_API_URL'] = sandbox.url;
    env['TIDEMARK_API_KEY'] = sandbox.key;
    delete env['TIDEMARK_API_KEY_FILE'];
  }
  return env;
}

/** Claims the namespace for the data folder before a worker starts, and registers the search attributes. */
async function setup(dataDir: string): Promise<void> {
  const temporal = await connectForFolder(dataDir, 'prepare');
  try {
    await ensureSearchAttributes(temporal);
  } finally {
    await temporal.close();
  }
}

interface TemporalProgram {
  path: string;
  version: string;
  source: string;
}

/** Finds or installs the Temporal CLI, in the order that bootstrap/temporal.mjs defines. */
async function findTemporal(): Promise<string> {
  // bootstrap/temporal.mjs is plain JavaScript, because the launcher runs it before any package is installed.
  const file = new URL('../../../bootstrap/temporal.mjs', import.meta.url);
  const { ensureTemporalCli } = (await import(file.href)) as {
    ensureTemporalCli: (options: {
      log: (line: string) => void;
      fetch: typeof globalThis.fetch;
    }) => Promise<TemporalProgram>;
  };
  try {
    return (await ensureTemporalCli({ log: tell, fetch: fetchThrough() })).path;
  } catch (error) {
    throw new TidemarkError('Internal', errorMessage(error), {
      todo: 'Use one of the ways named above. Then run the command again.',
      cause: error,
    });
  }
}
