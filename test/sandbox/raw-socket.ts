import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that sends what it is told, byte for byte, and keeps what comes back. */
export class RawSocket {
  readonly socket: Socket;
  #received = '';
  #closed = false;

  /** `allowHalfOpen`: its own end stays open when the server has closed its. */
  constructor(url: string, { allowHalfOpen = false } = {}) {
    this.socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen });
    this.socket.on('data', (chunk: Buffer) => (this.#received += chunk.toString('latin1')));
    // A server that closes while we still write: what it said before counts.
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.#closed = true));
  }

  send(bytes: string | Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** Everything that came, once the server has closed the connection. */
  async untilClosed(): Promise<string> {
    if (!this.#closed) await once(this.socket, 'close');
    return this.#received;
  }

  /** Everything that came, once it holds so many answers or the server has closed. */
  async answers(count: number): Promise<string[]> {
    while (!this.#closed && answersIn(this.#received).length < count) {
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
    return answersIn(this.#received);
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** Status lines of the answers in what was received. */
function answersIn(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status!);
}

/** Sends bytes in one piece and gives all that came back by the time the server closed the connection. */
export async function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const raw = new RawSocket(url);
  raw.send(bytes);
  return await raw.untilClosed();
}

/** Statuses of the answers to bytes after which the server closes. */
export async function statusesOf(url: string, bytes: string | Buffer): Promise<string[]> {
  return answersIn(await exchange(url, bytes));
}
