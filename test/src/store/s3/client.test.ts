import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { PATIENCE, TransientError } from '../../../../src/store/retry.js';
import { S3Client, type Call, type Reply } from '../../../../src/store/s3/client.js';

const ENV = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
const BODY = Buffer.alloc(100_000, 'x');

/** Sends a request to a service that does `answer` for each connection. */
async function ask(answer: (socket: Socket) => void, call: Call, silenceMs?: number): Promise<Reply> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new S3Client({ bucket: 'bucket', prefix: '', endpoint }, ENV, PATIENCE, silenceMs).sendOnce(call);
}

/** Announces `bytes` bytes, sends others, and ends the connection. */
const send =
  (sent: Buffer, bytes = sent.length) =>
  (socket: Socket): void => {
    // The client may close the connection early.
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\nConnection: close\r\n\r\n`);
      socket.end(sent);
    });
  };

it('reads a body whose service closes the connection', async () => {
  const { body } = await ask(send(BODY), { method: 'GET', key: 'a' });
  expect(body.equals(BODY)).toBe(true);
});

it('reports a body that breaks off', async () => {
  const asked = ask(send(BODY.subarray(0, 50_000), BODY.length), { method: 'GET', key: 'a' });
  await expect(asked).rejects.toThrow(TransientError);
});

it('reads no list that is too large', async () => {
  const asked = ask(send(Buffer.alloc(17 * 2 ** 20, 'x')), { method: 'GET' });
  await expect(asked).rejects.toThrow('the body is larger than 16777216 bytes');
});

it('sends a body for as long as the service goes on to read it', async () => {
  const body = Buffer.alloc(24 * 2 ** 20, 'x');
  let left = body.length;
  const answer = (socket: Socket): void => {
    socket.on('data', ({ length }: Buffer) => {
      left -= length;
      if (left <= 0) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      // Reads at about 4 MB/s, which takes about twice the time of silence.
      socket.pause();
      setTimeout(() => socket.resume(), length / 4_000);
    });
  };
  expect(await ask(answer, { method: 'PUT', key: 'a', body }, 3_000)).toMatchObject({ status: 200 });
});
