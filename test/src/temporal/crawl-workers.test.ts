import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WorkersAtWork } from '../../../src/temporal/worker/at-work.js';
import { listCrawlWorkers, liveBuilds, parseIdentity, workerIdentity } from '../../../src/temporal/crawl-workers.js';
import { readPollers, TaskType } from '../../../src/temporal/pollers.js';
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
  const watching = new WorkersAtWork(server.client, {
    identity: 'me',
    onChange: ({ workers }) => counts.push(workers),
    stop: new AbortController().signal,
  });
  await watching.look();
  expect(counts).toEqual([1]);
  // A worker that is alone does not wait.
  await watching.counted(AbortSignal.abort('waits'));
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
  await waitUntil('all are seen', async () => (await listCrawlWorkers(server.client)).length === 4);
  await watching.look();
  expect(counts).toEqual([1, 4]);
  // Until the others have counted this worker, they use its share.
  await expect(watching.counted(AbortSignal.abort('waits'))).rejects.toMatchObject({ cause: 'waits' });
  await watching.counted(new AbortController().signal);
  await watching.counted(AbortSignal.abort('waits'));
});

it('finds the workers with and without a version', async () => {
  const { connection, workflowService, options } = server.client;
  const { namespace } = options;
  const versions = ['first', 'second', null];
  void connection.withDeadline(Date.now() + 30_000, async () =>
    Promise.allSettled(
      versions.map((buildId) =>
        workflowService.pollWorkflowTaskQueue({
          namespace,
          taskQueue: { name: CRAWL_QUEUE },
          identity: `worker ${buildId}`,
          ...(buildId !== null && {
            deploymentOptions: { deploymentName: 'tidemark', buildId, workerVersioningMode: 2 },
          }),
        }),
      ),
    ),
  );
  await waitUntil('all are seen', async () => (await liveBuilds(server.client)).size === 3);
  expect(await liveBuilds(server.client)).toEqual(new Set(versions));
});

it('asks all partitions of a queue, and not in the deprecated mode', async () => {
  const { workflowService, options } = server.client;
  const described: string[] = [];
  const watched = new Proxy(workflowService, {
    get: (service, name) =>
      name === 'describeTaskQueue'
        ? async (request: { taskQueue: { name: string }; apiMode?: number }) => {
            described.push(request.taskQueue.name);
            expect(request.apiMode).toBeUndefined();
            return workflowService.describeTaskQueue(request);
          }
        : (Reflect.get(service, name) as unknown),
  });
  await readPollers({ workflowService: watched, options } as unknown as Client, CRAWL_QUEUE, TaskType.activity);
  const expected = [1, 2, 3].map((partition) => `/_sys/${CRAWL_QUEUE}/${partition}`);
  expect(described.toSorted()).toEqual([...expected, CRAWL_QUEUE]);
});

it("reads process, host, data folder and settings from a worker's identity", () => {
  const facts = { folder: 'ab12cd34', settings: '0123abcd' };
  expect(parseIdentity(workerIdentity(facts))).toMatchObject({ ...facts, name: `${process.pid}@${hostname()}` });
  expect(parseIdentity('12@old')).toEqual({ identity: '12@old', name: '12@old' });
});
