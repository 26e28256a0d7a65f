import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compiled, startProcess, startSandbox } from '../../test/helpers/processes.js';
import { makeProject } from '../../test/helpers/project.js';
import { MARKET } from '../market.js';
import { startTemporalServer } from '../temporal-server.js';
import type { System } from './measure.js';

const IN_FLIGHT = 32;

/** A market of the configuration. */
interface Market {
  name: string;
  filters?: object;
  streams: string[];
}

/** Only searches: without tickers, this stream has no records. */
export const SEARCH_ONLY: Market = { name: 'all', streams: ['financials_ticker'] };

/**
 * Starts the sandbox with some companies, Temporal and a worker, in a temporary folder that `stop` removes.
 * @param workerEnv more variables of the worker
 */
export async function startSystem(
  companies: number,
  markets: Market[],
  workerEnv: Record<string, string> = {},
): Promise<System & { stop(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-scale-'));
  const sandbox = await startSandbox({ ...MARKET, companies });
  const temporal = await startTemporalServer(folder);
  const project = makeProject({
    api: sandbox,
    temporal: temporal.address,
    config: {
      api: { baseUrl: sandbox.url, maxConcurrency: IN_FLIGHT },
      data: path.join(folder, 'data'),
      markets,
    },
  });
  const worker = await startProcess(compiled(['bin/tidemark.mjs', 'worker']), {
    env: { ...project.env, LOG_LEVEL: 'warn', ...workerEnv },
    ready: /worker.*(ready|running)/i,
  });
  return {
    sandbox,
    temporal,
    worker: worker.child.pid!,
    project: {
      ...project,
      dataDir: path.join(folder, 'data'),
      published: path.join(folder, 'data', 'published', 'market.duckdb'),
    },
    async stop() {
      await worker.stop();
      await temporal.stop();
      await sandbox.stop();
      project.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
