import { Counter } from 'prom-client';
import { createScrape } from './collectors.js';
import { addLandingMetrics } from './landing.js';
import { createRegistry } from './registry.js';
import { serveMetrics, type MetricsAddress, type MetricsServer } from './serve.js';

/** Metrics of a webhook receiver, and their server. */
export interface ReceiverMetrics extends MetricsServer {
  /** Counts an answered request. */
  answered(status: number): void;
  /** Counts deliveries that were landed. */
  landed(deliveries: number): void;
}

/**
 * Serves the metrics of a webhook receiver.
 * @throws TidemarkError `InvalidInput` when it cannot listen there
 */
export async function serveReceiver(address: MetricsAddress): Promise<ReceiverMetrics> {
  const registry = createRegistry();
  const registers = [registry];
  addLandingMetrics(registry);
  const received = new Counter({
    name: 'tidemark_webhook_deliveries_received_total',
    help: 'Signed deliveries that are stored on disk.',
    registers,
  });
  const refused = new Counter({
    name: 'tidemark_webhook_deliveries_refused_total',
    help: 'Requests that were not stored, by HTTP status of the answer; 401: wrong signature, 503: not storable.',
    labelNames: ['status'],
    registers,
  });
  const landed = new Counter({
    name: 'tidemark_webhook_deliveries_landed_total',
    help: 'Deliveries written to parts of the landing zone; the next run loads them.',
    registers,
  });
  const server = await serveMetrics(address, createScrape(registry, []));
  return {
    ...server,
    answered(status) {
      if (status === 200) received.inc();
      else refused.inc({ status: String(status) });
    },
    landed: (deliveries) => landed.inc(deliveries),
  };
}
