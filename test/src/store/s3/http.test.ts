import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { TransientError } from '../../../../src/store/retry.js';
import { Connections, type Reply } from '../../../../src/store/s3/http.js';

/** Starts a service that sends the beginning of an answer with 100,000 bytes, and then ends the connection. */
async function ask(sent: Buffer, limit = LIMIT): Promise<Reply> {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n`);
      socket.end(sent);
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return new Connections({}).send({ method: 'GET', url, headers: {}, body: undefined }, () => limit);
}

const BODY = Buffer.alloc(100_000, 'x');
const LIMIT = { bytes: BODY.length, ms: 10_000 };

it('reads a body whose service closes the connection', async () => {
  expect((await ask(BODY)).body.equals(BODY)).toBe(true);
});

it('reports a body that breaks off', async () => {
  await expect(ask(BODY.subarray(0, 50_000))).rejects.toThrow(TransientError);
});

it('reports a body that exceeds the limit', async () => {
  await expect(ask(BODY, { bytes: BODY.length - 1, ms: 10_000 })).rejects.toThrow('larger than 99999 bytes');
});

it('sends a body for as long as the service goes on to read it', async () => {
  const body = Buffer.alloc(24 * 2 ** 20, 'x');
  const server = createServer((socket) => {
    let left = body.length;
    socket.on('data', ({ length }: Buffer) => {
      left -= length;
      if (left <= 0) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      // Reads at about 4 MB/s, which takes about twice the time of silence.
      socket.pause();
      setTimeout(() => socket.resume(), length / 4_000);
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await new Connections({}, 3_000).send({ method: 'PUT', url, headers: {}, body }, () => LIMIT)).toMatchObject({
    status: 200,
  });
});
