import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Header of a request that one route of the sandbox sends to another. Such a request is not counted and gets no fault.
 */
export const INNER_HEADER = 'x-sandbox-inner';
/** Value of the header. It is random for each process, so that a client cannot send it. */
export const INNER_SECRET = randomBytes(16).toString('hex');

/** A request to another route of the sandbox. A `payload` is sent as JSON. */
export interface InnerRequest {
  method: 'GET' | 'POST';
  url: string;
  payload?: object;
}

/**
 * Returns a function that sends a request to another route of the sandbox, and returns the body of the answer. The
 * requests use another port of this machine, which opens at the first request. Fastify's `inject` would need no port,
 * but Node 20.18 cannot load its code in an installed package.
 */
export function innerRequests(app: FastifyInstance): (request: InnerRequest, apiKey: string) => Promise<string> {
  let base: Promise<string> | undefined;
  const server = createServer((request, response) => app.routing(request, response));
  const listen = async (): Promise<string> => {
    server.listen(0, '127.0.0.1').unref();
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  app.addHook('onClose', (_app, done) => {
    server.close();
    server.closeAllConnections();
    done();
  });
  return async ({ method, url, payload }, apiKey) => {
    base ??= listen();
    const answer = await fetch(`${await base}${url}`, {
      method,
      headers: {
        authorization: `Token ${apiKey}`,
        [INNER_HEADER]: INNER_SECRET,
        ...(payload && { 'content-type': 'application/json' }),
      },
      ...(payload && { body: JSON.stringify(payload) }),
    });
    return answer.text();
  };
}
