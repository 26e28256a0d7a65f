import { InvalidArgumentError, Option } from 'commander';
import type { Config } from '../../config/config.js';
import type { MetricsAddress } from '../../serve/metrics/serve.js';

/** Options of commands that serve metrics. */
export interface MetricsOptions {
  metricsPort?: number;
}

/** Makes the option `--metrics-port`. */
export function metricsPortOption(): Option {
  return new Option('--metrics-port <port>', 'serve metrics for Prometheus at this port; 0: any free port').argParser(
    (text) => {
      const port = Number(text);
      if (/^\d+$/.test(text) && port <= 65_535) return port;
      throw new InvalidArgumentError('A port is a number from 0 to 65535.');
    },
  );
}

/** Returns the address at which a process serves its metrics; null without a port, so that metrics are off. */
export function metricsAddress({ metrics }: Pick<Config, 'metrics'>, port: number | undefined): MetricsAddress | null {
  return port === undefined ? null : { host: metrics?.host ?? '127.0.0.1', port };
}
