import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import type { ApiClient, AttemptReport } from '../../api/index.js';
import type { Clock } from '../../base/time/clock.js';
import type { Config } from '../../config/config.js';
import { keyKind } from '../../config/stored-key.js';
import { addApiMetrics } from '../../serve/metrics/api.js';
import { createScrape, remembered, type Collector } from '../../serve/metrics/collectors.js';
import { addLandingMetrics } from '../../serve/metrics/landing.js';
import { addQuotaMetrics, takeLandedReadings } from '../../serve/metrics/quota.js';
import { addQuotaGateMetrics } from '../../serve/metrics/quota-gate.js';
import { createRegistry } from '../../serve/metrics/registry.js';
import { addRunMetrics } from '../../serve/metrics/runs.js';
import { serveMetrics, type Health, type MetricsAddress, type MetricsServer } from '../../serve/metrics/serve.js';
import { appendSdkMetrics } from '../../serve/metrics/temporal-sdk.js';
import { addWarehouseMetrics } from '../../serve/metrics/warehouse.js';
import { createLastRuns } from '../runs/last-runs.js';
import { listOpenRuns } from '../runs/open-runs.js';
import { countWaitingRuns } from '../runs/waiting-runs.js';
import type { Data } from '../../store/data.js';

// Keep answers of Temporal for this long, so that frequent scrapes send Temporal at most one request in this time.
const REMEMBERED_MS = 5_000;
// Answer scrapes within this time alike, because making the text takes the worker's time.
const SCRAPED_MS = 1_000;

/** Metrics of one worker process, and their server. */
export interface WorkerMetrics extends MetricsServer {
  /** Address for the Prometheus exporter of the Temporal SDK: a free port of this machine. */
  sdkAddress: string;
  /** Hook of the API client. */
  onAttempt(attempt: AttemptReport): void;
  /** Adds the metrics of a crawl worker. `gate` is the workflow id of the quota gate. */
  crawls(data: Data, client: ApiClient, temporal: Client, gate: string): Promise<void>;
  /** Adds the metrics of a warehouse worker. */
  keepsWarehouse(temporal: Client): void;
  /** Sets what `/healthz` answers. Before this call, it answers that the worker is not healthy. */
  checksHealth(health: () => Promise<Health>): void;
}

/**
 * Serves the metrics of a worker. `crawls` and `keepsWarehouse` add metrics later, when the worker has connected.
 * @throws TidemarkError `InvalidInput` when it cannot listen there
 */
export async function serveWorkerMetrics(
  config: Config,
  clock: Clock,
  address: MetricsAddress,
): Promise<WorkerMetrics> {
  const registry = createRegistry();
  const collectors: Collector[] = [];
  const api = addApiMetrics(registry);
  addLandingMetrics(registry);
  const sdkAddress = await freeAddress();
  const scrape = createScrape(registry, collectors);
  let health = async (): Promise<Health> => ({ healthy: false, text: 'The worker is starting.' });
  const server = await serveMetrics(
    address,
    remembered(SCRAPED_MS, async () => appendSdkMetrics(await scrape(), `http://${sdkAddress}/metrics`)),
    async () => health(),
  );
  const markets = config.markets.map(({ name }) => name);
  return {
    ...server,
    sdkAddress,
    onAttempt: api.onAttempt,
    checksHealth: (check) => void (health = remembered(REMEMBERED_MS, check)),
    async crawls(data, client, temporal, gate) {
      collectors.push(api.watch(() => client.limits()));
      await takeLandedReadings(data);
      addQuotaMetrics(registry, config.dataDir, keyKind(config));
      const count = remembered(REMEMBERED_MS, () => countWaitingRuns(temporal, gate));
      collectors.push(addQuotaGateMetrics(registry, count));
    },
    keepsWarehouse(temporal) {
      const { collector, facts } = addWarehouseMetrics(registry, { dataDir: config.dataDir, markets, clock });
      const fromTemporal = remembered(REMEMBERED_MS, createLastRuns(temporal));
      const fromWarehouse = async () => (await facts())?.runs ?? [];
      const open = remembered(REMEMBERED_MS, () => listOpenRuns(temporal));
      collectors.push(collector, addRunMetrics(registry, { markets, fromTemporal, fromWarehouse, open }));
    },
  };
}

/** Finds a free port for the SDK's exporter, which cannot report a port that it chose itself. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}
