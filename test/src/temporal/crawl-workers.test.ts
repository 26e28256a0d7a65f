import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countOtherWorkers, parseIdentity, watchAtWork, workerIdentity } from '../../../src/temporal/crawl-workers.js';
import { CRAWL_QUEUE } from '../../../workflows/queues.js';
import { waitUntil } from '../../helpers/sandbox.js';
import { startTemporal } from '../../helpers/temporal.js';

let server: TestWorkflowEnvironment;

beforeAll(async () => {
  server = await startTemporal();
});

afterAll(async () => server?.teardown());

it('counts the workers without ended ones of this machine', async () => {
  const counts: number[] = [];
  const stop = new AbortController();
  const watch = () =>
    watchAtWork(server.client, { identity: 'me', onChange: ({ workers }) => counts.push(workers), stop: stop.signal });
  await watch();
  expect(counts).toEqual([1]);
  // The server counts every identity that polls a task queue as a worker, in any partition of it.
  const { connection, workflowService, options } = server.client;
  const { pid } = spawnSync(process.execPath, ['--version']);
  // On this machine: two live workers with the same process id (in two containers), and one that has ended.
  const facts = { folder: 'ab12cd34', settings: '0123abcd' };
  const [own, other] = [workerIdentity(facts), workerIdentity(facts)];
  const ended = own.replace(/^\d+/, String(pid));
  const identities = ['me', own, other, ended.replace(/place=[0-9a-f]+/, 'place=0badcafe'), ended];
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

it("reads process, host, data folder and settings from a worker's identity", () => {
  const facts = { folder: 'ab12cd34', settings: '0123abcd' };
  expect(parseIdentity(workerIdentity(facts))).toMatchObject({ ...facts, name: `${process.pid}@${hostname()}` });
  expect(parseIdentity('12@old')).toEqual({ identity: '12@old', name: '12@old' });
});
