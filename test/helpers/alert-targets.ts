import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A message as a target received it. */
export interface Received {
  /** Idempotency-Key of a request, Message-ID of a mail. */
  key: string;
  headers: IncomingHttpHeaders | Record<string, string>;
  /** JSON body of a request, text of a mail. */
  body: string;
}

/** A target of alerts that a test controls. It ignores a message whose key it accepted before. */
export interface AlertTarget {
  port: number;
  /** Messages that arrived completely, repeated ones included. */
  arrived: Received[];
  /** Messages that the target accepted, without repeated ones. */
  accepted: Received[];
  /** From now on, receives messages but does not answer, until `release`. */
  hold(): void;
  /** From now on, accepts messages but does not answer, until `release`. */
  mute(): void;
  /** Number of received messages whose clients still wait for an answer. */
  held(): number;
  /** Accepts the held messages of clients that still wait, and answers the next ones at once. */
  release(): void;
  /** Refuses connections until `open`. */
  close(): Promise<void>;
  open(): Promise<void>;
}

/** What both kinds of target do with a message. `answer` tells the client that the target accepted it. */
class Inbox {
  readonly arrived: Received[] = [];
  readonly accepted: Received[] = [];
  readonly #held: { end: () => void; isOpen: () => boolean }[] = [];
  #mode: 'answer' | 'hold' | 'mute' = 'answer';

  /** @param isOpen whether the client still waits for the answer */
  take(message: Received, answer: () => void, isOpen: () => boolean): void {
    this.arrived.push(message);
    const accept = (): void => {
      if (this.accepted.every(({ key }) => key !== message.key)) this.accepted.push(message);
    };
    if (this.#mode === 'mute') accept();
    const end = (): void => {
      if (!isOpen()) return;
      accept();
      answer();
    };
    if (this.#mode === 'answer') end();
    else this.#held.push({ end, isOpen });
  }

  hold(): void {
    this.#mode = 'hold';
  }

  mute(): void {
    this.#mode = 'mute';
  }

  release(): void {
    this.#mode = 'answer';
    for (const { end } of this.#held.splice(0)) end();
  }

  held(): number {
    return this.#held.filter(({ isOpen }) => isOpen()).length;
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts a web service that takes alerts. */
export async function startWebhook(answer = { status: 200, body: 'ok' }): Promise<AlertTarget> {
  const inbox = new Inbox();
  const make = () =>
    createServer((request, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      // A client that is killed while it sends never reaches the end.
      request.on('end', () => {
        const { headers } = request;
        const message = { key: String(headers['idempotency-key']), headers, body: Buffer.concat(chunks).toString() };
        inbox.take(
          message,
          () => response.writeHead(answer.status).end(answer.body),
          () => !response.destroyed,
        );
      });
    });
  let server = make();
  const port = await listen(server, 0);
  return {
    port,
    arrived: inbox.arrived,
    accepted: inbox.accepted,
    hold: () => inbox.hold(),
    mute: () => inbox.mute(),
    held: () => inbox.held(),
    release: () => inbox.release(),
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async open() {
      server = make();
      await listen(server, port);
    },
  };
}

/** Starts a mail server that takes alerts. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<AlertTarget> {
  const inbox = new Inbox();
  const make = () =>
    new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      ...options,
      async onData(stream, session, done) {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n');
        const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
        const headers = Object.fromEntries(
          lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
        );
        const message = { key: headers['message-id'] ?? '', headers, body: rest.join('\n\n') };
        inbox.take(
          message,
          () => done(),
          () => open.has(session.id),
        );
      },
      onConnect(session, done) {
        open.add(session.id);
        done();
      },
      onClose: (session) => void open.delete(session.id),
    });
  const open = new Set<string>();
  let server = make();
  // Clients that are killed close their connections without a word.
  server.on('error', () => undefined);
  const port = await listen(server.server, 0);
  return {
    port,
    arrived: inbox.arrived,
    accepted: inbox.accepted,
    hold: () => inbox.hold(),
    mute: () => inbox.mute(),
    held: () => inbox.held(),
    release: () => inbox.release(),
    async close() {
      await new Promise<void>((resolve) => server.close(resolve));
    },
    async open() {
      server = make();
      server.on('error', () => undefined);
      await listen(server.server, port);
    },
  };
}
