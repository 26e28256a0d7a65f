import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { buildOf } from '../build-of.js';
import { report } from '../report/report.js';
import { measured, ROOT } from '../report/result.js';
import type { Order } from './client.js';

const ROUNDS = Number(process.env['REQUESTS_ROUNDS'] ?? 7);
const REQUESTS = Number(process.env['REQUESTS_COUNT'] ?? 10_000);
const WARM = 4_000;
const IN_FLIGHT = 32;

/**
 * Measures the CPU time of one response in the API client: request, check and search for the API key. A new process for
 * each round; a server of bare sockets in another process.
 *
 * Environment variables: `REQUESTS_AGAINST` (the folder of another clone of Tidemark, whose client is measured in turns
 * with this one), `REQUESTS_ROUNDS`, `REQUESTS_COUNT`.
 */
export async function benchRequests(): Promise<void> {
  const against = process.env['REQUESTS_AGAINST'];
  const clones = { ...(against === undefined ? {} : { other: path.resolve(against) }), this: ROOT };
  const server = start('server.ts');
  const [{ port, ids }] = (await once(server, 'message')) as [Pick<Order, 'port' | 'ids'>];
  const taken = new Map<string, number[]>();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, clone] of Object.entries(clones)) {
        const client = start('client.ts');
        const order = { build: buildOf(clone), port, ids, warm: WARM, measured: REQUESTS, inFlight: IN_FLIGHT };
        client.send(order satisfies Order);
        const [microseconds] = (await once(client, 'message')) as [number];
        taken.set(name, [...(taken.get(name) ?? []), microseconds]);
      }
    }
  } finally {
    server.disconnect();
  }
  report({
    bench: 'requests',
    settings: { REQUESTS_COUNT: REQUESTS },
    rounds: ROUNDS,
    tables: [
      {
        name: 'responses',
        columns: ['client', 'µs of CPU for each response'],
        rows: [...taken].map(([name, values]) => ({ name, cells: [measured(values, 'count')] })),
      },
    ],
  });
}

function start(file: string): ChildProcess {
  return fork(path.join(import.meta.dirname, file), { execArgv: ['--import', 'tsx'] });
}
