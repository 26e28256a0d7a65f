import { describe, expect, it } from 'vitest';
import type { QuotaStatus, QuotaWaiter } from '../../schemas/pipeline/activities.js';
import type { RunContext, WorkflowType } from '../../schemas/pipeline/run.js';
import { hasNoFigure, inLine, isWaiter, priorityOf, roomFor, secondsToStandAgain } from '../../workflows/quota-room.js';

const status = (more: Partial<QuotaStatus> = {}): QuotaStatus => ({
  known: true,
  metric: 'm',
  used: 40,
  total: 100,
  open: true,
  clock: null,
  fault: null,
  ...more,
});
const ctx = (leavesQuota: number) => ({ leavesQuota }) as RunContext;

describe('roomFor', () => {
  it.each([
    [40, 0, 60],
    [40, 0.1, 50],
    [40, 0.105, 49],
    [90, 0.1, 0],
    [95, 0.1, 0],
    [120, 0, 0],
  ])('with %i of 100 used and a share of %s reserved leaves %i', (used, leaves, room) => {
    expect(roomFor(status({ used }), ctx(leaves))).toBe(room);
  });

  it('sets no limit without a quota figure', () => {
    expect(roomFor(status({ known: false }), ctx(0.5))).toBe(Infinity);
  });
});

it('distinguishes a missing quota figure from a failed reading', () => {
  expect(hasNoFigure(status())).toBe(false);
  expect(hasNoFigure(status({ known: false }))).toBe(true);
  expect(hasNoFigure(status({ known: false, fault: 'timeout' }))).toBe(false);
});

it('orders waiting runs by type: market runs first, backfills last', () => {
  const types: WorkflowType[] = [
    'backfill',
    'retryRejects',
    'resolveCompanies',
    'tenderSnapshot',
    'watchSync',
    'marketSnapshot',
  ];
  const sorted = types.toSorted(
    (a, b) => priorityOf({ workflowType: a } as RunContext) - priorityOf({ workflowType: b } as RunContext),
  );
  expect(sorted).toEqual(types.toReversed());
  const waiting = [3, 1, 2, 1].map((priority, i) => ({ priority, ctx: { run: String(i) } }) as QuotaWaiter);
  expect(inLine(waiting).map((waiter) => waiter.ctx.run)).toEqual(['1', '3', '2', '0']);
});

describe('isWaiter', () => {
  const good = {
    ctx: { run: 'r-1', date: '2026-11-20', workflowId: 'w', probeEverySeconds: 900, leavesQuota: 0 },
    priority: 1,
  };

  it('accepts a run of Tidemark as waiter', () => {
    expect(isWaiter(good)).toBe(true);
    expect(isWaiter({ ...good, ctx: { ...good.ctx, run: 'a'.repeat(200) } })).toBe(true);
  });

  it.each([
    undefined,
    null,
    'w',
    {},
    { ...good, ctx: undefined },
    { ...good, priority: undefined },
    { ...good, priority: NaN },
    { ...good, ctx: { ...good.ctx, workflowId: 7 } },
    { ...good, ctx: { ...good.ctx, run: 7 } },
    { ...good, ctx: { ...good.ctx, run: '../up' } },
    { ...good, ctx: { ...good.ctx, run: 'a/b' } },
    { ...good, ctx: { ...good.ctx, run: 'a'.repeat(201) } },
    { ...good, ctx: { ...good.ctx, date: 7 } },
    { ...good, ctx: { ...good.ctx, date: '2026-11-20/..' } },
    { ...good, ctx: { ...good.ctx, date: '../2026-11-20' } },
    { ...good, ctx: { ...good.ctx, probeEverySeconds: '900' } },
    { ...good, ctx: { ...good.ctx, probeEverySeconds: 0 } },
    { ...good, ctx: { ...good.ctx, probeEverySeconds: 1e9 } },
    { ...good, ctx: { ...good.ctx, leavesQuota: undefined } },
  ])('rejects the waiter %j', (sent) => {
    expect(isWaiter(sent)).toBe(false);
  });
});

it.each([
  [900, [3_600, 7_200, 14_400, 14_400]],
  [60, [240, 480, 960, 1_920, 3_600, 3_600]],
])('doubles the wait of a run that polls every %i s before it queues again', (every, waits) => {
  expect(waits.map((_, time) => secondsToStandAgain(every, time))).toEqual(waits);
});
