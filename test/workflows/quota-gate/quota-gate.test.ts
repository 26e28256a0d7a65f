import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { QuotaStatus, QuotaWaiter } from '../../../schemas/pipeline/activities.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { NEW_GATE } from '../../../workflows/quota-gate/gate-state.js';
import { quotaGate } from '../../../workflows/quota-gate/quota-gate.js';
import { resetTemporal, temporal } from '../fake-temporal.js';

// Unit test files share a process; workflows loaded by another file would keep that file's mocks.
vi.hoisted(() => vi.resetModules());
vi.mock('@temporalio/workflow', async (original) => {
  const fake = await import('../fake-temporal.js');
  return { ...(await original<object>()), ...fake.temporal.exports };
});
vi.mock('../../../workflows/proxies.js', async () => {
  const fake = await import('../fake-temporal.js');
  return { crawl: fake.temporal.activities(() => readQuota()) };
});

let eventsPerRun: number;
let readQuota: () => QuotaStatus | Promise<never>;

const waiter = (workflowId: string): QuotaWaiter => ({
  ctx: { workflowId, run: 'r', date: '2026-11-20', probeEverySeconds: 300, leavesQuota: 0, eventsPerRun } as RunContext,
  priority: 1,
});
const status: QuotaStatus = {
  known: false,
  metric: null,
  used: 0,
  total: 0,
  open: true,
  clock: null,
  fault: null,
};
const room: QuotaStatus = { ...status, known: true, total: 100 };

// A reading adds 10 events, so the gate continues as new after each one or never.
describe.each([5, 2_000])('the quota gate, at most %i events in a history', (limit) => {
  beforeEach(() => {
    eventsPerRun = limit;
    resetTemporal();
  });
  const cut = (times: number) => (limit < 10 ? times : 0);

  it('doubles the wait while the tried run returns', async () => {
    let tries = 0;
    readQuota = () => status;
    temporal.onSignal = (id) => {
      if (++tries < 5) temporal.send('enterQuotaGate', waiter(id));
      else readQuota = () => room;
    };
    await temporal.run(quotaGate, [{ ...NEW_GATE, waiting: [waiter('a'), waiter('b')] }]);
    // The fifth attempt finds quota, and the next reading of the quota wakes the other run.
    expect(temporal.timers).toEqual([300, 300, 600, 1_200, 2_400, 3_600]);
    expect(temporal.signalled).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    expect(temporal.carried).toHaveLength(cut(5));
  });

  it('wakes all runs when the tried one does not return', async () => {
    readQuota = () => status;
    await temporal.run(quotaGate, [{ ...NEW_GATE, waiting: [waiter('a'), waiter('b'), waiter('c')] }]);
    expect(temporal.signalled).toEqual(['a', 'b', 'c']);
    expect(temporal.timers).toEqual([300, 300, 2]);
    expect(temporal.carried).toHaveLength(cut(1));
  });

  it('wakes all runs after five refusals in a row', async () => {
    readQuota = () => Promise.reject(new Error('refused'));
    await temporal.run(quotaGate, [{ ...NEW_GATE, waiting: [waiter('a'), waiter('b')] }]);
    expect(temporal.timers).toEqual([300, 300, 300, 300, 300, 2]);
    expect(temporal.signalled).toEqual(['a', 'b']);
    expect(temporal.carried).toHaveLength(cut(4));
  });

  it('keeps a run that enters during a reading', async () => {
    let reading = 0;
    readQuota = () => {
      if (++reading === 1) temporal.send('enterQuotaGate', waiter('late'));
      return { ...room, used: reading === 1 ? 100 : 0 };
    };
    await temporal.run(quotaGate, [{ ...NEW_GATE, waiting: [waiter('a')] }]);
    expect(temporal.signalled).toEqual(['a', 'late']);
  });

  it('skips runs that have ended', async () => {
    readQuota = () => status;
    temporal.onSignal = (id) => {
      if (id === 'gone') throw new Error('not found');
    };
    await temporal.run(quotaGate, [{ ...NEW_GATE, waiting: [waiter('gone'), waiter('a'), waiter('b')] }]);
    expect(temporal.signalled).toEqual(['gone', 'a', 'b']);
    expect(temporal.timers).toEqual([300, 300]);
  });
});
