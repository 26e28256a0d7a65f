import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy in front of an API that records when each request came. */
export interface RecordingProxy {
  url: string;
  /** Milliseconds since 1970 of each request, by method and path. */
  times: Map<string, number[]>;
  close(): Promise<void>;
}

export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const times = new Map<string, number[]>();
  const server = createServer((incoming, outgoing) => {
    const what = `${incoming.method} ${(incoming.url ?? '').replace(/\?.*$/, '')}`;
    times.set(what, [...(times.get(what) ?? []), Date.now()]);
    const options = { method: incoming.method, headers: incoming.headers };
    const forward = send(new URL(incoming.url ?? '/', target), options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    times,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
