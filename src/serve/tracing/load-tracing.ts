import type { Tracing } from './tracing.js';

/**
 * Starts the tracing of this process if a variable names an OpenTelemetry collector. Loads the libraries only then.
 * @param service name of the service in the traces
 * @param warn shows a problem of the tracing
 * @returns null if tracing is off
 */
export async function loadTracing(
  service: string,
  warn: (message: string) => void,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Tracing | null> {
  const isOn =
    Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim() || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']?.trim()) &&
    !/^true$/i.test(env['OTEL_SDK_DISABLED'] ?? '') &&
    env['OTEL_TRACES_EXPORTER']?.trim() !== 'none';
  if (!isOn) return null;
  const { startTracing } = await import('./tracing.js');
  return startTracing({ service, warn });
}
