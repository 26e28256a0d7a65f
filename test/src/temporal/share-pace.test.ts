import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countOtherWorkers, sharePace } from '../../../src/temporal/share-pace.js';
import { CRAWL_QUEUE } from '../../../workflows/queues.js';
import { waitUntil } from '../../helpers/sandbox.js';
import { startTemporal } from '../../helpers/temporal.js';

let server: TestWorkflowEnvironment;

beforeAll(async () => {
  server = await startTemporal();
});

afterAll(async () => server?.teardown());

it('all crawl workers together keep the pace: each takes an even share', async () => {
  const paces: number[] = [];
  const stop = new AbortController();
  const share = () =>
    sharePace(server.client, {
      identity: 'me',
      requestsPerSecond: 60,
      setPace: (pace) => paces.push(pace),
      stop: stop.signal,
    });
  await share();
  // A worker is, to the server, whoever asks for work.
  const { connection, workflowService, options } = server.client;
  void connection.withDeadline(Date.now() + 30_000, async () => {
    const { namespace } = options;
    const taskQueue = { name: CRAWL_QUEUE };
    const polls = ['me', 'second', 'third'].map((identity) =>
      workflowService.pollActivityTaskQueue({ namespace, taskQueue, identity }),
    );
    return Promise.allSettled(polls);
  });
  await waitUntil('all are seen', async () => (await countOtherWorkers(server.client, 'me')) === 2);
  await share();
  stop.abort();
  expect(paces).toEqual([60, 20]);
});
