import { Counter } from 'prom-client';
import { partLanded } from '../../base/observed.js';
import type { MetricsRegistry } from './registry.js';

/** Adds the metrics of the parts that this process writes to the landing zone. */
export function addLandingMetrics(registry: MetricsRegistry): void {
  const registers = [registry];
  const bytes = new Counter({
    name: 'tidemark_landing_written_bytes_total',
    help: 'Bytes of the Parquet parts written to the landing zone, by stream.',
    labelNames: ['stream'],
    registers,
  });
  const rows = new Counter({
    name: 'tidemark_landing_written_rows_total',
    help: 'Responses and records in the parts written to the landing zone, by stream.',
    labelNames: ['stream'],
    registers,
  });
  partLanded.listen((part) => {
    bytes.inc({ stream: part.stream }, part.bytes);
    rows.inc({ stream: part.stream }, part.rows);
  });
}
