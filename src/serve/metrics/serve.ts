import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage, hasErrorCode, TidemarkError } from '../../base/errors.js';
import { createLimitedServer } from '../../base/network/limited-server.js';

/** Where to listen. Port 0 takes any free port. */
export interface MetricsAddress {
  host: string;
  port: number;
}

/** A running server of metrics. */
export interface MetricsServer {
  /** Address of the metrics, such as `http://127.0.0.1:9464/metrics`. */
  url: string;
  close(): Promise<void>;
}

/** What `/healthz` answers: 200 if healthy, else 503. */
export interface Health {
  healthy: boolean;
  /** One line that says why. */
  text: string;
}

/** Content type of OpenMetrics text. */
export const OPENMETRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Several systems may scrape. More than that would take the worker's time. */
const LIMITS = { connections: 32, requests: 16, headersMs: 5_000, requestMs: 10_000 };

/**
 * Answers `GET /metrics` with what `scrape` returns, and `GET /healthz` with what `health` returns. Does not keep the
 * process alive.
 * @throws TidemarkError `InvalidInput` when it cannot listen there
 */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  scrape: () => Promise<string>,
  health?: () => Promise<Health>,
): Promise<MetricsServer> {
  const server = createLimitedServer(LIMITS, (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = request.url?.split('?', 1)[0];
    const asksHealth = path === '/healthz' && health !== undefined;
    if (path !== '/metrics' && !asksHealth) return reply(response, 404, 'The metrics are at /metrics.\n');
    if (!isRead) return reply(response, 405, 'Use GET.\n', { allow: 'GET, HEAD' });
    if (asksHealth)
      return void health().then(
        ({ healthy, text }) => reply(response, healthy ? 200 : 503, `${text}\n`),
        (error: unknown) => reply(response, 503, `${errorMessage(error)}\n`),
      );
    return void scrape().then(
      (text) => reply(response, 200, text, { 'content-type': OPENMETRICS }),
      (error: unknown) => reply(response, 500, `The metrics cannot be read: ${errorMessage(error)}\n`),
    );
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = hasErrorCode(error, 'EADDRINUSE');
    throw new TidemarkError('InvalidInput', `Cannot serve metrics on ${host}:${port}: ${errorMessage(error)}`, {
      todo: taken
        ? 'Another process uses that port, perhaps another worker. Choose another port with --metrics-port.'
        : 'Correct `metrics` in the configuration, or --metrics-port.',
      cause: error,
    });
  }
  server.unref();
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${chosen}/metrics`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function reply(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(text);
}
