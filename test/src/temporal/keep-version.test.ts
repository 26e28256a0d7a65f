import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { keepVersionCurrent } from '../../../src/temporal/worker/keep-version.js';

it.each([
  ['without live workers', []],
  ['beside a live worker of another version', ['old']],
])('asks until the server has seen its polls, and waits for its version, %s', async (_, live: string[]) => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const asked: string[] = [];
  let polls = false;
  let finish = (): void => undefined;
  const workflowService = {
    describeWorkerDeployment: async () => ({
      workerDeploymentInfo: { routingConfig: { currentDeploymentVersion: { buildId: 'old' } }, versionSummaries: [] },
    }),
    listTaskQueuePartitions: async () => ({}),
    describeTaskQueue: async () => ({
      pollers: live.map((buildId) => ({
        identity: 'a worker',
        lastAccessTime: { seconds: Math.floor(Date.now() / 1_000) },
        deploymentOptions: { buildId, workerVersioningMode: 2 },
      })),
    }),
    async setWorkerDeploymentCurrentVersion({ buildId }: { buildId: string }) {
      asked.push(buildId);
      if (!polls) throw new Error('no pollers');
      await new Promise<void>((resolve) => (finish = resolve));
    },
  };
  const client = { options: { namespace: 'default' }, workflowService } as unknown as Client;
  const ready = vi.fn<() => void>();
  const log = pino({ enabled: false });
  void keepVersionCurrent(client, { build: 'new', log, stop: stop.signal }).then(ready);
  await vi.waitFor(() => expect(asked).toEqual(['new', 'new']));
  expect(ready).not.toHaveBeenCalled();
  polls = true;
  await vi.waitFor(() => {
    finish();
    expect(ready).toHaveBeenCalledOnce();
  });
});
