import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Requests to a bucket by kind, and the bytes of their bodies. */
export interface BucketTraffic {
  /** PUT and POST, and GET of a list: services charge most for them. */
  writes: number;
  /** GET and HEAD of an object. */
  reads: number;
  removes: number;
  sentMiB: number;
}

/** A proxy in front of a bucket. `take` returns the traffic since the last call. */
export interface CountingProxy {
  url: string;
  take(): BucketTraffic;
  close(): Promise<void>;
}

/** Starts a proxy that counts requests. Passes on the `Host` header, which the signature covers. */
export async function countRequestsTo(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  let traffic: BucketTraffic = { writes: 0, reads: 0, removes: 0, sentMiB: 0 };
  const server = createServer((incoming, answer) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    traffic[kindOf(method, path)]++;
    incoming.on('data', (chunk: Buffer) => void (traffic.sentMiB += chunk.length / 2 ** 20));
    const passed = request({ hostname, port, method, path, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.rawHeaders);
      from.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = traffic;
      traffic = { writes: 0, reads: 0, removes: 0, sentMiB: 0 };
      return taken;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function kindOf(method: string, path: string): 'writes' | 'reads' | 'removes' {
  if (method === 'DELETE') return 'removes';
  const isList = path.includes('list-type=');
  return (method === 'GET' && !isList) || method === 'HEAD' ? 'reads' : 'writes';
}
