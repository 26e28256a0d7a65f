import type { NativeConnectionOptions } from '@temporalio/worker';
import { TidemarkError } from '../base/errors.js';
import { findRoute, nameProxy, type Route } from '../base/network/proxies.js';

/** Settings of both Temporal clients, so that they take the same way. */
export interface TemporalRoute {
  /** For the client of commands (grpc-js). */
  channelArgs: Record<string, number>;
  /** For the client of the worker. */
  native: Pick<NativeConnectionOptions, 'proxy'>;
}

/**
 * Returns how to reach Temporal: through the proxy for https, or directly.
 * @param address host and port
 * @throws TidemarkError `InvalidConfig` for the address of a proxy that Tidemark cannot use
 */
export function routeToTemporal(address: string, env: NodeJS.ProcessEnv = process.env): TemporalRoute {
  const { proxy } = findTemporalRoute(address, env);
  // grpc-js reads the variables in lower case itself, and would ask the proxy also for this machine.
  if (proxy === null) return { channelArgs: { 'grpc.enable_http_proxy': 0 }, native: {} };
  const { protocol, host, port, href } = proxy.address;
  if (protocol !== 'http:')
    throw new TidemarkError('InvalidConfig', `Temporal cannot be reached through ${nameProxy(proxy)}.`, {
      todo: 'For Temporal, the proxy needs an http:// address. To reach Temporal directly, name its host in NO_PROXY.',
    });
  const basicAuth = proxy.login && { username: proxy.login.user, password: proxy.login.password };
  const url = new URL(href);
  url.username = basicAuth?.username ?? '';
  url.password = basicAuth?.password ?? '';
  // grpc-js takes the proxy only from the environment. This variable counts before all others.
  env['grpc_proxy'] ??= url.href;
  const targetHost = port === '' ? `${host}:80` : host;
  return { channelArgs: {}, native: { proxy: { type: 'http-connect', targetHost, ...(basicAuth && { basicAuth }) } } };
}

/** Returns the way to Temporal. Pure. */
export function findTemporalRoute(address: string, env: NodeJS.ProcessEnv): Route {
  const text = `https://${address}`;
  return URL.canParse(text) ? findRoute(new URL(text), env) : { proxy: null, why: 'not set' };
}
