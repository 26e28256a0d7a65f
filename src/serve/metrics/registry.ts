import { collectDefaultMetrics, Gauge, Registry, type OpenMetricsContentType } from 'prom-client';
import { version } from '../../base/version.js';

export type MetricsRegistry = Registry<OpenMetricsContentType>;

/**
 * Creates a registry that answers in OpenMetrics text. It holds the version of Tidemark and the usual metrics of a Node
 * process (`process_…`, `nodejs_…`).
 */
export function createRegistry(): MetricsRegistry {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  collectDefaultMetrics({ register: registry });
  newGauge(registry, 'tidemark_build_info', 'Version of Tidemark, as a label; the value is always 1.', ['version']).set(
    { version: version() },
    1,
  );
  return registry;
}

/** Adds a gauge. A gauge without labels has no sample until it is set. */
export function newGauge<Label extends string>(
  registry: MetricsRegistry,
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Gauge<Label> {
  const gauge = new Gauge<Label>({ name, help, labelNames, registers: [registry] });
  if (labelNames.length === 0) gauge.remove();
  return gauge;
}
