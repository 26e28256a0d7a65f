import { expect, it } from 'vitest';
import { loadTracing } from '../../../../src/serve/tracing/load-tracing.js';

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };

it.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
  { OTEL_SERVICE_NAME: 'tidemark' },
  { ...COLLECTOR, OTEL_SDK_DISABLED: 'TRUE' },
  { ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' },
])('traces nothing with the variables %j', async (env) => {
  expect(await loadTracing('a-test', () => undefined, env)).toBeNull();
});
