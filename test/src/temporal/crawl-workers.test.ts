import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countOtherWorkers, watchAtWork } from '../../../src/temporal/crawl-workers.js';
import { CRAWL_QUEUE } from '../../../workflows/queues.js';
import { waitUntil } from '../../helpers/sandbox.js';
import { startTemporal } from '../../helpers/temporal.js';

let server: TestWorkflowEnvironment;

beforeAll(async () => {
  server = await startTemporal();
});

afterAll(async () => server?.teardown());

it('a worker knows how many there are, without those of this machine that have ended', async () => {
  const counts: number[] = [];
  const stop = new AbortController();
  const watch = () =>
    watchAtWork(server.client, { identity: 'me', onChange: ({ workers }) => counts.push(workers), stop: stop.signal });
  await watch();
  expect(counts).toEqual([1]);
  // A worker is, to the server, whoever asks for work, in whichever of the parts a queue has.
  const { connection, workflowService, options } = server.client;
  const { pid } = spawnSync(process.execPath, ['--version']);
  const identities = ['me', 'second', `${process.pid}@${hostname()}`, `${pid}@elsewhere`, `${pid}@${hostname()}`];
  void connection.withDeadline(Date.now() + 30_000, async () => {
    const { namespace } = options;
    const taskQueue = { name: CRAWL_QUEUE };
    const polls = identities.map((identity) =>
      workflowService.pollActivityTaskQueue({ namespace, taskQueue, identity }),
    );
    return Promise.allSettled(polls);
  });
  await waitUntil('all are seen', async () => (await countOtherWorkers(server.client, 'me')) === 3);
  await watch();
  stop.abort();
  expect(counts.at(-1)).toBe(4);
});
