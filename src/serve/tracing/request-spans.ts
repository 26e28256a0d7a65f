import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { AttemptReport } from '../../api/index.js';

/**
 * Returns a function that makes a span of each request to the API, as a child of the active span. A span has the route
 * template but neither values nor query nor bodies, so it holds no key and no personal data.
 */
export function createRequestSpans(tracer: Tracer): (attempt: AttemptReport) => void {
  return ({ endpoint, status, ms, bytes, retry, error }) => {
    const end = Date.now();
    const [method = '', template = ''] = endpoint.split(' ');
    const span = tracer.startSpan(endpoint, {
      kind: SpanKind.CLIENT,
      startTime: end - ms,
      attributes: {
        'http.request.method': method,
        'url.template': template,
        'http.response.body.size': bytes,
        'tidemark.retry': retry,
        ...(status === 0 ? {} : { 'http.response.status_code': status }),
        ...(error === null ? {} : { 'error.type': error }),
      },
    });
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  };
}
