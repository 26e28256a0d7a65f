import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What the clients of a server may use at most. Times are in milliseconds. */
export interface ServerLimits {
  /** Connections at the same time. The server closes further ones at once. */
  connections: number;
  /** Requests that are answered at the same time. Further ones get 503 before anything is read. */
  requests: number;
  /** Time for the headers of a request, and for the whole request. */
  headersMs: number;
  requestMs: number;
  /** Time without a request before a connection is closed. */
  idleMs?: number;
  /** Time in which a client must take some bytes of a waiting answer. */
  stallMs?: number;
}

/** Requests of one connection that may wait for the answer of an earlier one. Usual clients send none. */
const MOST_WAITING = 8;
const IDLE_MS = 5_000;
const STALL_MS = 60_000;

/**
 * Creates an HTTP server that clients cannot overload: connections, requests, memory and waiting times have limits.
 * Calls `handle` for one request of a connection after the other, also if the client sends several at once. So each
 * response has its connection, and notices when the client goes away.
 */
export function createLimitedServer(limits: ServerLimits, handle: RequestListener): Server {
  const { connections, headersMs, requestMs, idleMs = IDLE_MS } = limits;
  const admit = admission(limits, handle);
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(1_000, headersMs),
      keepAliveTimeout: idleMs,
    },
    admit,
  );
  server.maxConnections = connections;
  return server;
}

type Exchange = [request: IncomingMessage, response: ServerResponse];

/** Returns the listener that passes requests to `handle` within the limits. */
function admission({ requests, stallMs = STALL_MS }: ServerLimits, handle: RequestListener): RequestListener {
  /** The requests of a connection that is in use: the one in progress, then the waiting ones. */
  const lines = new WeakMap<Socket, Exchange[]>();
  let inProgress = 0;

  const begin = (socket: Socket, line: Exchange[]): void => {
    const [request, response] = line[0]!;
    response.once('close', () => {
      line.shift();
      if (line.length > 0 && !socket.destroyed) begin(socket, line);
    });
    if (inProgress >= requests) return refuse(request, response);
    inProgress++;
    response.once('close', () => inProgress--);
    breakStalled(socket, response, stallMs);
    handle(request, response);
  };

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const line = lines.get(socket) ?? [];
    lines.set(socket, line);
    line.push([request, response]);
    if (line.length > MOST_WAITING + 1) socket.destroy();
    else if (line.length === 1) begin(socket, line);
  };
}

/** Answers 503. The client should try again soon, on another connection. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  answerShort(request, response, 503, { 'retry-after': '1', connection: 'close' });
}

/** Answers without a body. Closes the connection if the request was not read completely. */
export function answerShort(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const unread = !request.complete;
  response
    .writeHead(status, { 'content-length': '0', ...(unread ? { connection: 'close' } : {}), ...headers })
    .end(() => {
      if (unread) request.destroy();
    });
}

/** Breaks the connection when the client takes no byte of a waiting answer for a while. */
function breakStalled(socket: Socket, response: ServerResponse, stallMs: number): void {
  response.setTimeout(stallMs, () => {
    if (socket.writableLength > 0) socket.destroy();
    // Nothing waits to be sent: the answer is still being made.
    else socket.setTimeout(stallMs);
  });
}
