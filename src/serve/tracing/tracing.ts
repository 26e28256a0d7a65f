import { diag, DiagLogLevel, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptReport } from '../../api/index.js';
import { errorMessage } from '../../base/errors.js';
import { version } from '../../base/version.js';
import { GivenIds } from './given-ids.js';
import { createRequestSpans } from './request-spans.js';

// An unreachable collector delays the end of a process at most this long.
const FLUSH_WITHIN_MS = 5_000;

/** Settings of the tracing. */
export interface TracingOptions {
  /** Name of the service in the traces. `OTEL_SERVICE_NAME` overrides it. */
  service: string;
  /** Shows a problem of the tracing. Work goes on without spans. */
  warn: (message: string) => void;
}

/** The tracing of this process. */
export interface Tracing {
  tracer: Tracer;
  /** Makes a span of a request. Hook of the API client. */
  onAttempt(attempt: AttemptReport): void;
  /** Gives chosen ids to the spans of runs. */
  ids: GivenIds;
  /** Sends the last spans. */
  stop(): Promise<void>;
}

/**
 * Starts the tracing of this process: spans go to an OpenTelemetry collector as OTLP (JSON) over HTTP. The standard
 * variables `OTEL_…` apply. At most once per process.
 */
export function startTracing({ service, warn }: TracingOptions): Tracing {
  const report = reportFaults(warn);
  const ids = new GivenIds();
  const provider = new BasicTracerProvider({
    resource: new Resource({ 'service.name': service, 'service.version': version() }).merge(
      detectResourcesSync({ detectors: [envDetectorSync] }),
    ),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register({
    contextManager: new AsyncLocalStorageContextManager().enable(),
    propagator: new W3CTraceContextPropagator(),
  });
  const tracer = provider.getTracer('tidemark', version());
  return {
    tracer,
    onAttempt: createRequestSpans(tracer),
    ids,
    async stop() {
      const sent = provider.shutdown().catch((error: unknown) => report(errorMessage(error)));
      await Promise.race([sent, delay(FLUSH_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

/** Shows each problem of the OpenTelemetry library once. Returns a function that shows another problem. */
function reportFaults(warn: (message: string) => void): (text: string) => void {
  const told = new Set<string>();
  const report = (text: string): void => {
    const message = readMessage(text);
    if (told.has(message)) return;
    told.add(message);
    warn(`Spans cannot be sent: ${message}. Work goes on without them. Check OTEL_EXPORTER_OTLP_ENDPOINT.`);
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return report;
}

/** The library passes most errors as JSON. */
function readMessage(text: string): string {
  try {
    const { message, code } = JSON.parse(text) as { message?: string; code?: string | number };
    return message || String(code ?? text);
  } catch {
    return text;
  }
}
