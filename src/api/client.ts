import { TidemarkError } from '../base/errors.js';
import { BOUNDS } from '../base/json/json-bounds.js';
import { isLoopback } from '../base/loopback.js';
import { Caller } from './caller.js';
import { createConnectorEndpoints, type ConnectorEndpoints } from './routes/endpoints-connector.js';
import { createV1Endpoints, type V1Endpoints } from './routes/endpoints-v1.js';
import { createV2Endpoints, type V2Endpoints } from './routes/endpoints-v2.js';
import { ClientClosedError } from './errors.js';
import { HeldKey } from './held-key.js';
import { Limiter, type Limits, type Place } from './limiter.js';
import type { ApiClientOptions } from './options.js';
import { createTransport } from './transport.js';

const HEADERS = {
  accept: 'application/json',
  // Sent even with GET and DELETE, because all sample calls of the reference do so.
  'content-type': 'application/json',
  'user-agent': 'tidemark',
};

/**
 * Client of the Company Data API: both versions and the connector. One limit on requests in flight applies to all of
 * them.
 */
export interface ApiClient {
  v1: V1Endpoints;
  v2: V2Endpoints;
  connector: ConnectorEndpoints;
  /** Returns what limits the requests now. */
  limits(): Limits;
  /** Takes the share of a worker when several workers share the limits of one API key. */
  share(place: Place): void;
  /**
   * Works only with the option `stopAtDailyLimit`. After a `limits.daily` answer, `isClosed` is true, and data calls
   * fail without being sent. `open()` allows data calls again.
   */
  quota: { readonly isClosed: boolean; open(): void };
  /** Rejects waiting calls, waits for the requests in flight, and closes the connections. May be called twice. */
  close(): Promise<void>;
}

/**
 * Creates a client; opens no connection yet. Only private fields and closures hold the API key. So printing or
 * serialising the client never shows the API key.
 * @throws TidemarkError `InvalidConfig` for invalid options
 */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const {
    allowHttp = false,
    maxConcurrency = 16,
    timeoutMs = 30_000,
    requestsPerSecond,
    maxBodyBytes = BOUNDS.bytes,
    maxRetries = 5,
    retryBaseMs = 250,
    retryCapMs = 10_000,
    maxRetryAfterMs = 60_000,
    stopAtDailyLimit = false,
    onSend,
    onAttempt,
    now = () => new Date(),
  } = options;
  const baseUrl = parseUrl('api.baseUrl', options.baseUrl, allowHttp);
  const connectorUrl = parseUrl('api.connectorUrl', options.connectorUrl ?? options.baseUrl, allowHttp);
  requirePositive('timeoutMs', timeoutMs);
  requirePositive('maxConcurrency', maxConcurrency, true);
  requirePositive('requestsPerSecond', requestsPerSecond ?? 1);
  const limiter = new Limiter(maxConcurrency, requestsPerSecond);
  const held = new HeldKey({ ...options, now });
  const transport = createTransport({ baseUrl, timeoutMs, maxBodyBytes, headers: HEADERS });
  const connectorTransport = createTransport({ baseUrl: connectorUrl, timeoutMs, maxBodyBytes, headers: HEADERS });
  const retry = { maxRetries, retryBaseMs, retryCapMs, maxRetryAfterMs };
  const shared = { limiter, stopAtDailyLimit, timeoutMs, redactor: held.redactor, retry, onSend, onAttempt, now };
  const caller = new Caller({ ...shared, transport, held });
  const connectorCaller = new Caller({ ...shared, transport: connectorTransport, held: null });
  let closed: Promise<unknown> | null = null;
  return {
    v1: createV1Endpoints(caller),
    v2: createV2Endpoints(caller),
    connector: createConnectorEndpoints(connectorCaller, () => held.key),
    limits: () => limiter.limits,
    share: (place) => limiter.share(place),
    quota: {
      get isClosed() {
        return limiter.dailyLimit !== null;
      },
      open: () => limiter.open(),
    },
    close: async () => {
      limiter.close(new ClientClosedError());
      await (closed ??= Promise.all([transport.close(), connectorTransport.close()]));
    },
  };
}

function parseUrl(name: string, text: string | undefined, allowHttp: boolean): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TidemarkError('InvalidConfig', `${name} is not an http(s) address`, {
      todo: 'Write it like https://api.example.com, without /v1 or /v2.',
    });
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TidemarkError('InvalidConfig', `${name} contains a user, a password, a query or a fragment`, {
      todo: 'Write only scheme, host and path; the API key comes from TIDEMARK_API_KEY.',
    });
  }
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new TidemarkError(
      'InvalidConfig',
      `${name} is plain http to ${url.hostname}: anyone on the network path could read the key`,
      {
        todo: 'Use https. If the network is private, set `api.allowHttp: true`.',
      },
    );
  }
  return url;
}

function requirePositive(name: string, value: number, whole = false): void {
  if (value > 0 && (whole ? Number.isInteger(value) : Number.isFinite(value))) return;
  const kind = whole ? 'a whole number above 0' : 'above 0';
  throw new TidemarkError('InvalidConfig', `${name} must be ${kind}, got ${value}`, { todo: `Correct ${name}.` });
}
