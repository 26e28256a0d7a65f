import type { Config } from '../core/config.js';
import type { Tracing } from './tracing.js';

/**
 * Starts the tracing of this process if the configuration asks for it. Loads the libraries only then.
 * @param service name of the service in the traces
 * @param warn shows a problem of the tracing
 * @returns null if tracing is off
 */
export async function loadTracing(
  { tracing }: Pick<Config, 'tracing'>,
  service: string,
  warn: (message: string) => void,
): Promise<Tracing | null> {
  if (tracing === undefined) return null;
  const { startTracing } = await import('./tracing.js');
  return startTracing({ endpoint: tracing.endpoint, service, warn });
}
