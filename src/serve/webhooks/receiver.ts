import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { SIGNATURE_HEADER } from '../../../schemas/v2/watch.js';
import { verifyWebhook } from '../../api/verify-webhook.js';
import { readItemId } from '../../base/company-id.js';
import { readJsonNodes } from '../../base/json/json-nodes.js';
import { answerShort, createLimitedServer } from '../../base/network/limited-server.js';
import { commonPath } from './delivery-path.js';

/** Options of `createReceiver`. */
export interface ReceiverOptions {
  /** Path of deliveries, such as `/events`. Requests may spell it differently, for example with a slash at its end. */
  path: string;
  /** Secret that signs deliveries. It stays the same when the callback's address changes. */
  secret: string;
  /** Stores a signed delivery; resolves once it is on disk. */
  keep: (body: string, companyId: string | null) => Promise<void>;
  /** Called after each answered request, except health checks, with the status of the answer. Must not throw. */
  onAnswer?: (status: number) => void;
  /** Called with the path of a request that was refused because it has another path. Must not throw. */
  onOtherPath?: (path: string) => void;
  /** Called when a signed delivery could not be stored. */
  onFault?: (error: unknown) => void;
  /** Largest body in bytes (default 1 MiB). */
  maxBytes?: number;
  /** Time limits for the headers and for the whole request, in milliseconds (default 5 s and 10 s). */
  headersMs?: number;
  requestMs?: number;
}

const HEALTH = '/healthz';
const MAX_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 256;
/** Deliveries that are received at the same time. With `maxBytes`, they limit the memory. */
const MAX_REQUESTS = 128;

/**
 * Creates the webhook receiver (reference v2, "Webhook delivery"). It answers 2xx only when the delivery is on disk.
 * After any other answer, the API sends the delivery again. A signed delivery is stored exactly as received, even if
 * its content is not readable. Answers:
 * - 200: stored, or `GET /healthz`
 * - 401: no valid signature of the exact bytes; not stored
 * - 404: another path
 * - 405: not POST
 * - 413: body too large
 * - 415: compressed body
 * - 503: could not be stored, or too many requests at the same time
 */
export function createReceiver(options: ReceiverOptions): Server {
  const { headersMs = 5_000, requestMs = 10_000 } = options;
  return createLimitedServer(
    { connections: MAX_CONNECTIONS, requests: MAX_REQUESTS, headersMs, requestMs },
    (request, response) => {
      const isHealthCheck = commonPath(request.url ?? '') === HEALTH;
      if (!isHealthCheck) response.once('finish', () => options.onAnswer?.(response.statusCode));
      void receive(request, response, options).catch((error: unknown) => {
        options.onFault?.(error);
        answerShort(request, response, 503);
      });
    },
  );
}

async function receive(request: IncomingMessage, response: ServerResponse, options: ReceiverOptions): Promise<void> {
  const path = commonPath(request.url ?? '');
  if (path === HEALTH && request.method === 'GET') return answerShort(request, response, 200);
  if (path !== commonPath(options.path)) {
    options.onOtherPath?.(path);
    return answerShort(request, response, 404);
  }
  if (request.method !== 'POST') return answerShort(request, response, 405, { allow: 'POST' });
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') return answerShort(request, response, 415);
  const body = await readBody(request, options.maxBytes ?? MAX_BYTES);
  if (body === 'too large') return answerShort(request, response, 413);
  if (body === 'broken off') return;
  const signature = request.headers[SIGNATURE_HEADER];
  if (!verifyWebhook(body, typeof signature === 'string' ? signature : undefined, options.secret)) {
    return answerShort(request, response, 401);
  }
  const text = body.toString('utf8');
  await options.keep(text, companyOf(text));
  answerShort(request, response, 200);
}

/** Reads the exact bytes of a request body. */
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

/** Reads the company id of a delivery. Null when there is none, or when the warehouse cannot hold it. */
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
