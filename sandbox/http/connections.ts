import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyHttpOptions } from 'fastify';
import type { SandboxOptions } from '../options.js';

/** Milliseconds between the error answer and the forced close of the connection. */
const PARTING = 1000;

/**
 * Returns Fastify's connection settings. If a client sends its headers or its body too slowly, its connection is
 * closed.
 */
export function connectionLimits({ headersTimeout, requestTimeout }: SandboxOptions): FastifyHttpOptions<Server> {
  // Node checks for slow connections only every 30 s by default. This is too rare for short time limits.
  const connectionsCheckingInterval = Math.max(10, Math.min(1000, headersTimeout / 10, requestTimeout / 10));
  return {
    forceCloseConnections: true,
    // Set this option here. If it were set in `http`, Fastify would overwrite it.
    requestTimeout,
    keepAliveTimeout: 30_000,
    http: { headersTimeout, connectionsCheckingInterval },
    clientErrorHandler: refuseBrokenHttp,
  };
}

/**
 * Returns whether a request is HTTP/1.x with at most one `Host` header. Node itself also accepts a request line without
 * a protocol, and a second `Host` header.
 */
export function isPlainHttp({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) if (rawHeaders[n]!.toLowerCase() === 'host') hosts++;
  return /^1\.[01]$/.test(httpVersion) && hosts <= 1;
}

/** Answers a broken or slow request with 400, 408 or 431 and closes the connection. */
function refuseBrokenHttp(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'The request took too long.']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', 'The headers are too large.']
        : ['400 Bad Request', 'This is not an HTTP request.'];
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), PARTING).unref();
}
