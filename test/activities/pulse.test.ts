import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { countRefusal, withHeartbeat } from '../../activities/heartbeat.js';
import type { Heartbeat } from '../../src/crawl/records/deps.js';

const QUIET = new DefaultLogger('ERROR');
const progress = (done: number) => ({ step: 'pages', done, total: 10, requests: done });

let beats: unknown[];

beforeEach(() => {
  beats = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function worker(info: object = {}): MockActivityEnvironment {
  const made = new MockActivityEnvironment(info, { logger: QUIET });
  made.on('heartbeat', (details) => beats.push(details));
  return made;
}

it('passes attempt number and scheduled time to the work', async () => {
  const seen = await worker({ attempt: 3, scheduledTimestampMs: 1_234 }).run(withHeartbeat, (heartbeat: Heartbeat) =>
    Promise.resolve([heartbeat.attempt, heartbeat.since, heartbeat.signal.aborted]),
  );
  expect(seen).toEqual([3, 1_234, false]);
});

it('sends the first heartbeat at once, then at most two per second', async () => {
  await worker().run(withHeartbeat, async (heartbeat: Heartbeat) => {
    heartbeat.report(progress(1));
    heartbeat.report(progress(2));
    await vi.advanceTimersByTimeAsync(499);
    heartbeat.report(progress(3));
    expect(beats).toEqual([progress(1)]);
    await vi.advanceTimersByTimeAsync(1);
    heartbeat.report(progress(4));
    expect(beats).toEqual([progress(1), progress(4)]);
  });
});

it('repeats the latest heartbeat while nothing is answered, until the work ends', async () => {
  await worker().run(withHeartbeat, async (heartbeat: Heartbeat) => {
    heartbeat.report(progress(1));
    heartbeat.report(progress(2));
    await vi.advanceTimersByTimeAsync(2_000);
  });
  expect(beats).toEqual([progress(1), progress(2), progress(2)]);
  expect(vi.getTimerCount()).toBe(0);
});

it("excludes refusals by other folders' workers from the attempt number", async () => {
  const refused = worker({ attempt: 3, heartbeatDetails: { refused: 2 } });
  const attempt = await refused.run(withHeartbeat, (heartbeat: Heartbeat) => {
    heartbeat.report(progress(1));
    return Promise.resolve(heartbeat.attempt);
  });
  expect(attempt).toBe(1);
  expect(beats).toEqual([{ ...progress(1), refused: 2 }]);
});

it('keeps counting refusals in the heartbeat details', async () => {
  const count = () => Promise.resolve(countRefusal());
  expect(await worker().run(count)).toBe(1);
  expect(await worker({ heartbeatDetails: { refused: 4 } }).run(count)).toBe(5);
  expect(await worker({ heartbeatDetails: { refused: 'many' } }).run(count)).toBe(1);
  expect(beats).toEqual([{ refused: 1 }, { refused: 5 }, { refused: 1 }]);
});

it('fails as cancelled when a cancelled request throws', async () => {
  const made = worker();
  const work = made.run(withHeartbeat, ({ signal }: Heartbeat) => {
    made.cancel();
    expect(signal.aborted).toBe(true);
    return Promise.reject(new Error('This operation was aborted'));
  });
  await expect(work).rejects.toBeInstanceOf(CancelledFailure);
  expect(vi.getTimerCount()).toBe(0);
});

it('rethrows other errors unchanged', async () => {
  await expect(worker().run(withHeartbeat, () => Promise.reject(new TypeError('no')))).rejects.toThrow(
    new TypeError('no'),
  );
});
