import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { v1Error } from '../http/errors.js';
import { isObject } from '../http/validate.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Changes the answer before Fastify writes it. Set by a fault; null if the answer stays as it is. */
    bend: ((payload: unknown) => unknown) | null;
  }
}

/*
 * A fault that a test adds with `POST /_sandbox/faults`. It applies to matching requests until its `times` are used up.
 * Network faults act on the real connection, so the client sees a real failure.
 */

export const FaultRequest = z.strictObject({
  /** First characters of the path, such as `/v2/companies/`. The default matches all requests. */
  route: z.string().startsWith('/').default('/'),
  method: z.string().toUpperCase().optional(),
  /** Number of matching requests that pass before the fault applies for the first time. */
  skip: z.int().min(0).default(0),
  /** Number of requests to which the fault applies. With 0, it applies to all requests until it is deleted. */
  times: z.int().min(0).default(1),
  /** The fault applies only to every n-th of the matching requests. */
  every: z.int().min(1).default(1),
  kind: z.enum(['status', 'latency', 'cut', 'reset', 'html', 'duplicate', 'drift']).optional(),
  /** For `drift`: number added to the totals of a list. */
  by: z.int().default(1),
  /** For `status` and `html`: the HTTP status. */
  status: z.int().min(200).max(599).optional(),
  /** For `status`: the body of the answer. Default: the body of InternalError. */
  body: z.unknown().optional(),
  headers: z
    .record(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/),
      z.string().regex(/^[\t\x20-\x7e]*$/, 'Expected printable ASCII.'),
    )
    .optional(),
  /** For `latency`: milliseconds before the usual answer is sent. */
  latency: z.int().min(0).max(600_000).optional(),
});
export type FaultRequest = z.infer<typeof FaultRequest>;

/**
 * A fault with two counters. `seen` counts the requests that matched. `struck` counts those of them to which the fault
 * was applied.
 */
export interface Fault extends Omit<FaultRequest, 'kind'> {
  id: number;
  kind: NonNullable<FaultRequest['kind']>;
  seen: number;
  struck: number;
}

/**
 * The faults that tests have added, in the order of their addition. A request gets the first fault that matches it and
 * whose `skip`, `every` and `times` allow it.
 */
export class Faults {
  #list: Fault[] = [];
  #nextId = 1;

  add(request: FaultRequest): Fault {
    const kind = request.kind ?? (request.latency === undefined ? 'status' : 'latency');
    const fault: Fault = { ...request, kind, id: this.#nextId++, seen: 0, struck: 0 };
    this.#list.push(fault);
    return fault;
  }

  list(): readonly Fault[] {
    return this.#list;
  }

  clear(): void {
    this.#list = [];
  }

  /** Returns the fault to apply to a request, if any. Also updates the counters of the matching faults. */
  strike(method: string, path: string): Fault | undefined {
    for (const fault of this.#list) {
      if (!path.startsWith(fault.route) || (fault.method !== undefined && fault.method !== method)) continue;
      if (fault.times > 0 && fault.struck >= fault.times) continue;
      fault.seen++;
      if (fault.seen <= fault.skip || (fault.seen - fault.skip - 1) % fault.every !== 0) continue;
      fault.struck++;
      return fault;
    }
    return undefined;
  }
}

/** Error page as a proxy in front of an API sends it. */
export const HTML_PAGE =
  '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n<body><h1>502 Bad Gateway</h1></body></html>\n';

/**
 * Applies a fault.
 *
 * @returns true when the request is answered or its connection is destroyed; false when the usual answer follows
 */
export async function applyFault(fault: Fault, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  if (fault.headers) void reply.headers(fault.headers);
  switch (fault.kind) {
    case 'latency':
      await sleep(fault.latency ?? 1000);
      return false;
    case 'status':
      await reply.code(fault.status ?? 500).send(fault.body ?? internalError(request));
      return true;
    case 'html':
      await reply
        .code(fault.status ?? 502)
        .type('text/html; charset=utf-8')
        .send(HTML_PAGE);
      return true;
    case 'reset':
      reply.hijack();
      request.raw.socket.resetAndDestroy();
      return true;
    case 'cut':
      reply.hijack();
      cutOff(reply);
      return true;
    case 'duplicate':
    case 'drift':
      request.bend = (payload) => bendList(fault, payload);
      return false;
  }
}

/** Returns the error body of InternalError, in the shape of the requested API version. */
function internalError(request: FastifyRequest): unknown {
  const words = 'Internal server error (a fault that a test requested).';
  return request.url.startsWith('/v1') ? v1Error('InternalError', words).body : { detail: words };
}

/**
 * Changes a list in an answer. The fault `duplicate` replaces the last row with a copy of the first. The fault `drift`
 * adds `by` to the totals.
 */
function bendList(fault: Fault, payload: unknown): unknown {
  if (!isObject(payload) || !Array.isArray(payload['data'])) return payload;
  if (fault.kind === 'duplicate')
    return { ...payload, data: [...payload['data'].slice(0, -1), ...payload['data'].slice(0, 1)] };
  const drifted = Object.entries(payload).map(([key, value]) => [
    key,
    key.startsWith('total_') && !key.endsWith('_pages') ? Math.max(0, Number(value) + fault.by) : value,
  ]);
  return Object.fromEntries(drifted);
}

/** Announces four times as many bytes as it then sends, and closes the connection. */
function cutOff(reply: FastifyReply): void {
  const half = '{"id":1000026,"name":"Cut off in the mid';
  reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': String(half.length * 4) });
  reply.raw.write(half, () => reply.raw.socket?.end());
}
