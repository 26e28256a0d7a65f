import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { nameProxy, proxyAuthorization, type Proxy } from './proxies.js';

/** A proxy that did not open a connection. Nothing reached the target. */
export class ProxyError extends Error {
  /** `PROXY_` and the status, or `PROXY_UNREACHABLE`. */
  readonly code: string;

  constructor(proxy: Proxy, code: string, message: string, cause?: unknown) {
    super(`the proxy ${nameProxy(proxy)} ${message}`, { cause });
    this.name = 'ProxyError';
    this.code = code;
  }
}

/** Makes the error for a proxy that refused a request to `target` with a status. */
export function refusedByProxy(proxy: Proxy, status: number, target: string): ProxyError {
  const why =
    status === 407
      ? proxy.login === null
        ? 'asks for a user and password'
        : 'refuses the user or password'
      : `refuses the connection to ${target}`;
  return new ProxyError(proxy, `PROXY_${status}`, `${why} (status ${status})`);
}

/** Makes the error for a proxy to which no connection is possible. */
export function unreachableProxy(proxy: Proxy, error: Error): ProxyError {
  return new ProxyError(proxy, 'PROXY_UNREACHABLE', `does not answer: ${describe(error)}`, error);
}

/** Returns what to do about an error of a proxy, from its code; null for other errors. */
export function proxyRemedy(code: string): string | null {
  if (!code.startsWith('PROXY_')) return null;
  if (code === 'PROXY_407') return 'Write the proxy as http://user:password@host:port, or name the host in NO_PROXY.';
  return 'Check HTTP_PROXY and HTTPS_PROXY. To reach the host directly, name it in NO_PROXY.';
}

/**
 * Opens a connection to `target` through a proxy (CONNECT, RFC 9110, 9.3.6).
 * @param target host and port, such as `api.example.com:443`
 * @param timeoutMs time for the connection and for the answer of the proxy
 * @throws ProxyError
 */
export async function openTunnel(proxy: Proxy, target: string, timeoutMs: number): Promise<Socket> {
  const { protocol, hostname, port } = proxy.address;
  const authorization = proxyAuthorization(proxy);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const options = {
    method: 'CONNECT',
    host,
    port: port || (protocol === 'https:' ? 443 : 80),
    path: target,
    headers: { host: target, ...(authorization && { 'proxy-authorization': authorization }) },
    agent: false,
    rejectUnauthorized: true,
    ...(isIP(host) ? {} : { servername: host }),
  } as const;
  return new Promise((resolve, reject) => {
    const request = protocol === 'https:' ? requestHttps(options) : requestHttp(options);
    const late = (): unknown => request.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`));
    // The option `timeout` would begin again with each byte.
    const timer = timeoutMs > 0 ? setTimeout(late, timeoutMs) : undefined;
    request
      .once('close', () => clearTimeout(timer))
      .on('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket, head: Buffer) => {
        clearTimeout(timer);
        if (statusCode >= 200 && statusCode <= 299) {
          if (head.length > 0) socket.unshift(head);
          return resolve(socket);
        }
        socket.on('error', () => undefined).destroy();
        return reject(refusedByProxy(proxy, statusCode, target));
      })
      .on('error', (error) => reject(unreachableProxy(proxy, error)))
      .end();
  });
}

/** Describes an error. A name with several addresses gives one error for all, without a message. */
function describe(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  return first instanceof Error ? first.message : String(first);
}
