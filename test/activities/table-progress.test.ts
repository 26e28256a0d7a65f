import { MockActivityEnvironment } from '@temporalio/testing';
import type { Client } from '@temporalio/client';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { reportTables } from '../../activities/table-progress.js';
import { withHeartbeat } from '../../activities/heartbeat.js';
import type { Heartbeat } from '../../src/crawl/records/deps.js';
import { tableBegun, type TableBegun } from '../../src/base/observed.js';

const TOTAL = 100_000;

let beats: unknown[];
let signals: TableBegun[];

beforeEach(() => {
  beats = [];
  signals = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

/** Runs an activity that begins a table every second. */
async function runTables(seconds: number): Promise<void> {
  const signal = async (name: string, table: TableBegun): Promise<void> => {
    expect(name).toBe('table');
    signals.push(table);
    throw new Error('the run has ended');
  };
  const client = {
    workflow: { getHandle: () => ({ signal }) },
    withAbortSignal: (_: AbortSignal, work: () => unknown) => work(),
  } as unknown as Client;
  const environment = new MockActivityEnvironment({}, { client, logger: new DefaultLogger('ERROR') });
  environment.on('heartbeat', (details) => beats.push(details));
  await environment.run(withHeartbeat, async (heartbeat: Heartbeat) => {
    const stop = reportTables(heartbeat, 'models');
    for (let done = 0; done < seconds; done++) {
      tableBegun.report({ name: `core.t${done}`, done, total: TOTAL });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    stop();
    tableBegun.report({ name: 'core.late', done: seconds, total: TOTAL });
  });
}

it('names each table in the heartbeats until the activity ends', async () => {
  await runTables(3);
  expect(beats[0]).toEqual({ step: 'models', done: 0, total: TOTAL, requests: 0, table: 'core.t0' });
  expect(beats).toContainEqual({ step: 'models', done: 2, total: TOTAL, requests: 0, table: 'core.t2' });
  expect(JSON.stringify(beats)).not.toContain('core.late');
  expect(signals).toEqual([]);
});

it('signals the run every 5 s, later less often, and survives a run that has ended', async () => {
  await runTables(20);
  expect(signals.map(({ name }) => name)).toEqual(['core.t5', 'core.t10', 'core.t15']);
  signals = [];
  await runTables(6 * 3_600);
  expect(signals.length).toBeLessThan(80);
  expect(signals.length).toBeGreaterThan(40);
});
