import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the server got. */
export interface SeenRequest {
  method: string;
  /** Path and query, as sent. */
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Answers one request. */
export type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** An HTTP server that gives the answers of a script in order. It fails requests that come after the last answer. */
export interface ScriptedServer {
  url: string;
  seen: SeenRequest[];
  /** Number of answers that no request has asked for. */
  readonly left: number;
  close(): Promise<void>;
}

export async function startScripted(answers: readonly Answer[]): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const script = [...answers];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks) };
      seen.push(one);
      const answer = script.shift() ?? reply(418, '<Error><Code>EndOfScript</Code></Error>');
      answer(one, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    get left() {
      return script.length;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers with a status, a body and headers. */
export function reply(status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Answer {
  return (_request, response) => void response.writeHead(status, headers).end(body);
}

/** Breaks the connection without an answer. */
export const breakOff: Answer = (_request, response) => void response.destroy();

/** Sends the first bytes of a body, then breaks the connection. */
export function cutOff(body: string, after: number, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-length': String(body.length), ...headers });
    response.write(body.slice(0, after), () => setTimeout(() => response.destroy(), 20));
  };
}
