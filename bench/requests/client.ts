import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { createApiClient } from '../../src/api/index.js';

/** What the benchmark tells this process. */
export interface Order {
  /** Folder of the compiled code of the client to measure. */
  build: string;
  port: number;
  ids: number[];
  /** Number of requests: not measured ones first, then measured ones. */
  warm: number;
  measured: number;
  inFlight: number;
}

type Client = ReturnType<typeof createApiClient>;

process.once('message', (order: Order) => {
  void run(order).then((microseconds) => process.send?.(microseconds, () => process.exit()));
});

/** Returns the CPU time of each response in microseconds, all threads. */
async function run({ build, port, ids, warm, measured, inFlight }: Order): Promise<number> {
  const file = pathToFileURL(path.join(build, 'src', 'api', 'index.js')).href;
  const { createApiClient: create } = (await import(file)) as { createApiClient: typeof createApiClient };
  const client = create({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'a-key-of-16-signs', maxConcurrency: inFlight });
  await crawl(client, ids, warm, inFlight);
  const before = process.cpuUsage();
  await crawl(client, ids, measured, inFlight);
  const { user, system } = process.cpuUsage(before);
  await client.close();
  return (user + system) / measured;
}

/** Requests records and reports in turn, as a chunk does: all requests share one signal. */
async function crawl(client: Client, ids: number[], count: number, inFlight: number): Promise<void> {
  const { signal } = new AbortController();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const n = next++;
      const id = ids[(n >> 1) % ids.length]!;
      const answer =
        n % 2 === 0 ? await client.v2.company(id, { signal }) : await client.v2.financial(id, {}, { signal });
      // Read what is landed. Earlier clients have no bytes.
      if ((answer.bytes?.() ?? answer.body).length === 0) throw new Error('an answer is empty');
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}
