import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyHttpOptions } from 'fastify';
import type { SandboxOptions } from './options.js';

/** Milliseconds after a last word until the connection is cut, whether or not the other side has closed its own end. */
const PARTING = 1000;

/** How long connections may take: a client that drips its headers or its body does not hold one for ever. */
export function connectionLimits({ headersTimeout, requestTimeout }: SandboxOptions): FastifyHttpOptions<Server> {
  // Node looks for overdue connections every half minute unless told otherwise.
  const connectionsCheckingInterval = Math.max(10, Math.min(1000, headersTimeout / 10, requestTimeout / 10));
  return {
    forceCloseConnections: true,
    // Not in `http`: Fastify sets it anew from here.
    requestTimeout,
    keepAliveTimeout: 30_000,
    http: { headersTimeout, connectionsCheckingInterval },
    clientErrorHandler: refuseBrokenHttp,
  };
}

/** Whether a request is HTTP/1 with one host: Node lets a line without protocol and a second host pass. */
export function isPlainHttp({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) if (rawHeaders[n]!.toLowerCase() === 'host') hosts++;
  return /^1\.[01]$/.test(httpVersion) && hosts <= 1;
}

/** What is no HTTP, or too slow, is answered in plain words and the connection closed. */
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
        : ['400 Bad Request', 'This is no HTTP request.'];
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), PARTING).unref();
}
