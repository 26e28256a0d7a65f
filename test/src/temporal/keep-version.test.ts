import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { keepVersionCurrent } from '../../../src/temporal/worker/keep-version.js';
import { CRAWL_QUEUE } from '../../../workflows/queues.js';

/** A server on which these builds have a worker. `answer` answers each request to make a build current. */
function startServer(live: string[], answer: (allowNoPollers: boolean) => Promise<void>) {
  const asked: { buildId: string; allowNoPollers: boolean }[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const workflowService = {
    describeWorkerDeployment: async () => ({
      workerDeploymentInfo: { routingConfig: { currentDeploymentVersion: { buildId: 'old' } }, versionSummaries: [] },
    }),
    listTaskQueuePartitions: async () => ({}),
    describeTaskQueue: async ({ taskQueue: { name } }: { taskQueue: { name: string } }) => ({
      pollers: live.map((buildId) => ({
        identity: `worker of ${name === CRAWL_QUEUE ? buildId : name}`,
        lastAccessTime: { seconds: Math.floor(Date.now() / 1_000) },
        deploymentOptions: { buildId, workerVersioningMode: 2 },
      })),
    }),
    setWorkerDeploymentCurrentVersion: async (request: (typeof asked)[number]) => {
      asked.push(request);
      await answer(request.allowNoPollers);
    },
  };
  const client = { options: { namespace: 'default' }, workflowService } as unknown as Client;
  const keep = () =>
    keepVersionCurrent(client, { build: 'new', log: pino({ enabled: false }), stop: stop.signal }).then(() => 'ready');
  return { asked, keep };
}

it('does not wait for its version if no worker is live: new runs wait for the same version', async () => {
  const { asked, keep } = startServer([], () => new Promise(() => undefined));
  expect(await keep()).toBe('ready');
  await vi.waitFor(() => expect(asked).toMatchObject([{ buildId: 'new', allowNoPollers: true }]));
});

it('waits until a worker of another version gets no new runs, and asks again until its own polls are seen', async () => {
  let polls = false;
  let current = (): void => undefined;
  const { asked, keep } = startServer(['old'], async (allowNoPollers) => {
    if (!polls && !allowNoPollers) throw new Error('no pollers');
    await new Promise<void>((resolve) => (current = resolve));
  });
  const ready = vi.fn<(text: string) => void>();
  void keep().then(ready);
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1));
  expect(ready).not.toHaveBeenCalled();
  polls = true;
  await vi.waitFor(() => {
    current();
    expect(ready).toHaveBeenCalledWith('ready');
  });
  expect(asked.filter(({ allowNoPollers }) => allowNoPollers)).toEqual([]);
});
