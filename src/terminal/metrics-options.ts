import { InvalidArgumentError, Option } from 'commander';
import type { Config } from '../core/config.js';
import type { MetricsAddress } from '../metrics/serve.js';

/** Options of commands that serve metrics. */
export interface MetricsOptions {
  metricsPort?: number;
  metricsHost?: string;
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

export function metricsHostOption(): Option {
  return new Option('--metrics-host <address>', 'address to serve metrics on (default: 127.0.0.1)');
}

/**
 * Decides where a process serves its metrics. Options take precedence over the configuration.
 * @param port setting that holds the port of this kind of process
 * @returns null when neither gives a port, so that metrics are off
 */
export function metricsAddress(
  { metrics }: Pick<Config, 'metrics'>,
  options: MetricsOptions,
  port: 'port' | 'receiverPort',
): MetricsAddress | null {
  const chosen = options.metricsPort ?? metrics?.[port];
  return chosen === undefined ? null : { host: options.metricsHost ?? metrics?.host ?? '127.0.0.1', port: chosen };
}
