import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that sends exactly the given bytes and keeps what it receives. */
export class RawSocket {
  readonly socket: Socket;
  #received = '';
  #closed = false;

  /** `allowHalfOpen` keeps our end open after the server closed its end. */
  constructor(url: string, { allowHalfOpen = false } = {}) {
    this.socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen });
    this.socket.on('data', (chunk: Buffer) => (this.#received += chunk.toString('latin1')));
    // The server may close while we still write; what it sent before counts.
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.#closed = true));
  }

  send(bytes: string | Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** Everything received once the server has closed the connection. */
  async untilClosed(): Promise<string> {
    if (!this.#closed) await once(this.socket, 'close');
    return this.#received;
  }

  /** Everything received once it contains that many answers, or the server has closed. */
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

/** Sends bytes at once; returns everything received until the server closes. */
export async function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const raw = new RawSocket(url);
  raw.send(bytes);
  return await raw.untilClosed();
}

/** Statuses of the answers until the server closes. */
export async function statusesOf(url: string, bytes: string | Buffer): Promise<string[]> {
  return answersIn(await exchange(url, bytes));
}
