import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { SIGNATURE_HEADER } from '../../schemas/v2/watch.js';
import { verifyWebhook } from '../api-client/verify-webhook.js';
import { readItemId } from '../core/company-id.js';
import { readJsonNodes } from '../core/json-nodes.js';

export interface ReceiverOptions {
  /** Path of deliveries, `/events`. */
  path: string;
  /** The callback's secret: made once, it stays the same when the address changes. */
  secret: string;
  /** Puts a genuine delivery on disk; resolves once it is there. */
  keep: (body: string, companyId: string | null) => Promise<void>;
  /** Told why a genuine delivery could not be kept. */
  onFault?: (error: unknown) => void;
  /** Largest body in bytes (default 1 MiB). */
  maxBytes?: number;
  /** Milliseconds a sender has for its headers, and for the whole of it (default 5 s and 10 s). */
  headersMs?: number;
  requestMs?: number;
}

const MAX_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 256;

/**
 * The webhook receiver (reference v2, "Webhook delivery"). It answers 2xx only once the delivery is on disk, so whatever
 * happens before that, the API tries again. What is not signed with the secret over its exact bytes is 401 and leaves no
 * trace; what is, is kept as it came, whether it can be read or not.
 */
export function createReceiver(options: ReceiverOptions): Server {
  const { headersMs = 5_000, requestMs = 10_000 } = options;
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(1_000, headersMs),
      keepAliveTimeout: 5_000,
    },
    (request, response) => {
      void receive(request, response, options).catch((error: unknown) => {
        options.onFault?.(error);
        answer(request, response, 503);
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function receive(request: IncomingMessage, response: ServerResponse, options: ReceiverOptions): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://receiver.invalid');
  if (pathname === '/healthz' && request.method === 'GET') return answer(request, response, 200);
  if (pathname !== options.path) return answer(request, response, 404);
  if (request.method !== 'POST') return answer(request, response, 405, { allow: 'POST' });
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') return answer(request, response, 415);
  const body = await readBody(request, options.maxBytes ?? MAX_BYTES);
  if (body === 'too large') return answer(request, response, 413);
  if (body === 'broken off') return;
  const signature = request.headers[SIGNATURE_HEADER];
  if (!verifyWebhook(body, typeof signature === 'string' ? signature : undefined, options.secret)) {
    return answer(request, response, 401);
  }
  const text = body.toString('utf8');
  await options.keep(text, companyOf(text));
  answer(request, response, 200);
}

/** The exact bytes that came. */
async function readBody(request: IncomingMessage, most: number): Promise<Buffer | 'too large' | 'broken off'> {
  if (Number(request.headers['content-length'] ?? 0) > most) return 'too large';
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) return 'too large';
      chunks.push(chunk);
    }
  } catch {
    return 'broken off';
  }
  return Buffer.concat(chunks);
}

/** Company a delivery names; null where it names none that the warehouse can hold. */
function companyOf(text: string): string | null {
  try {
    const delivery = readJsonNodes(text);
    const company = delivery.kind === 'object' ? delivery.members.get('company_data') : undefined;
    const read = company && readItemId(company);
    return read !== undefined && 'id' in read ? read.id : null;
  } catch {
    return null;
  }
}

/** Answers without a body; a request that was not read to its end loses its connection. */
function answer(
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
