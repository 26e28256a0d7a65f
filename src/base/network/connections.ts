import { callbackify } from 'node:util';
import { Agent, buildConnector, fetch, Pool, type Dispatcher, type RequestInit } from 'undici';
import { findRoute, proxyAuthorization, type Proxy } from './proxies.js';
import { skipContinue } from './skip-continue.js';
import { openTunnel, refusedByProxy, unreachableProxy } from './tunnel.js';

const FETCH_CONNECT_MS = 10_000;

/** Options of connections. Times are in milliseconds; 0 means no limit. */
export interface ConnectionOptions extends Pick<
  Pool.Options,
  'keepAliveTimeout' | 'maxHeaderSize' | 'headersTimeout' | 'bodyTimeout'
> {
  connectMs: number;
}

/**
 * Creates keep-alive connections to one origin, through the proxy that the environment names for it. The number of
 * connections has no limit.
 * @throws TidemarkError `InvalidConfig` for the address of a proxy that Tidemark cannot use
 */
export function connectTo(
  origin: string,
  options: ConnectionOptions,
  env: NodeJS.ProcessEnv = process.env,
): Dispatcher {
  const { connectMs, ...rest } = options;
  const target = new URL(origin);
  const { proxy } = findRoute(target, env);
  if (proxy === null) return new Pool(origin, { ...rest, connections: null, connect: createConnector(connectMs) });
  if (target.protocol === 'http:') return throughPlainProxy(proxy, target, options);
  return new Pool(origin, { ...rest, connections: null, connect: createTunnelConnector(proxy, connectMs) });
}

/**
 * Creates connections to any origin, each through its proxy.
 * @param options as for `connectTo`
 */
export function connectToAny(options: ConnectionOptions, env: NodeJS.ProcessEnv = process.env): Dispatcher {
  return new Agent({ factory: (origin) => connectTo(String(origin), options, env) });
}

/** Returns a `fetch` that uses the proxy of the environment, and the timeouts of undici. */
export function fetchThrough(env: NodeJS.ProcessEnv = process.env): typeof globalThis.fetch {
  const dispatcher = connectToAny({ connectMs: FETCH_CONNECT_MS }, env);
  const through = async (address: string, options: RequestInit) => fetch(address, { ...options, dispatcher });
  return through as unknown as typeof globalThis.fetch;
}

type Connector = buildConnector.connector;

function createConnector(connectMs: number): Connector {
  // Set explicitly, so that the environment variable NODE_TLS_REJECT_UNAUTHORIZED cannot switch off the check.
  const connect = buildConnector({ timeout: connectMs, rejectUnauthorized: true });
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error === null) callback(null, skipContinue(socket));
      else callback(error, null);
    });
}

/** Opens TLS connections inside tunnels of a proxy. */
function createTunnelConnector(proxy: Proxy, connectMs: number): Connector {
  const connect = createConnector(connectMs);
  return (target, callback) => {
    const place = `${target.hostname}:${target.port || '443'}`;
    callbackify(openTunnel)(proxy, place, connectMs, (error, httpSocket) => {
      if (error === null) connect({ ...target, httpSocket }, callback);
      else callback(error, null);
    });
  };
}

/** Sends plain http requests to the proxy, with the whole address as their target (RFC 9112, 3.2.2). */
function throughPlainProxy(proxy: Proxy, target: URL, options: ConnectionOptions): Dispatcher {
  const { connectMs, ...rest } = options;
  const connect = createConnector(connectMs);
  const pool = new Pool(proxy.address.origin, {
    ...rest,
    connections: null,
    connect: (place, callback) =>
      connect(place, (...[error, socket]) => {
        if (error === null) callback(null, socket);
        else callback(unreachableProxy(proxy, error), null);
      }),
  });
  const authorization = proxyAuthorization(proxy);
  const extra = { host: target.host, ...(authorization && { 'proxy-authorization': authorization }) };
  return pool.compose((dispatch) => (request, handler) => {
    const headers = { ...(request.headers as Record<string, string>), ...extra };
    const path = `${target.origin}${request.path}`;
    return dispatch({ ...request, origin: proxy.address.origin, path, headers }, refusing407(handler, proxy, target));
  });
}

/** Lets a request fail with an error that names the proxy if the proxy wants a login. */
function refusing407(handler: Dispatcher.DispatchHandler, proxy: Proxy, target: URL): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers, text) {
      if (status === 407) controller.abort(refusedByProxy(proxy, status, target.host));
      else handler.onResponseStart?.(controller, status, headers, text);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}
