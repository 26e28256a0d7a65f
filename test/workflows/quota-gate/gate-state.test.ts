import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QuotaStatus, QuotaWaiter } from '../../../schemas/pipeline/activities.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import {
  enterLine,
  judgeReading,
  leaveLine,
  NEW_GATE,
  nextReading,
  noteTry,
  type GateState,
} from '../../../workflows/quota-gate/gate-state.js';

function waiter(workflowId: string, priority = 1, more: Partial<RunContext> = {}): QuotaWaiter {
  const ctx = {
    workflowId,
    run: `run-${workflowId}`,
    date: '2026-11-20',
    probeEverySeconds: 300,
    leavesQuota: 0,
    ...more,
  };
  return { ctx: ctx as RunContext, priority };
}

const lineOf = (...waiting: QuotaWaiter[]): GateState => ({ ...NEW_GATE, waiting });

/** The state as the next execution receives it, through JSON. */
const carried = (state: GateState): GateState => JSON.parse(JSON.stringify(state)) as GateState;

const unknown = (): QuotaStatus => ({
  known: false,
  metric: null,
  used: 0,
  total: 0,
  open: true,
  clock: null,
  fault: null,
});
const figure = (used: number, total = 100): QuotaStatus => ({ ...unknown(), known: true, used, total });

/** What the gate does with a reading, as quota-gate.ts does if every run can be woken. */
function read(state: GateState, status: QuotaStatus | null): { state: GateState; did: string; wait: number } {
  const reading = nextReading(state);
  if (!reading) return { state, did: 'end', wait: 0 };
  const { state: judged, move } = judgeReading(state, reading, status);
  if (move.kind === 'wait') return { state: judged, did: 'wait', wait: reading.wait };
  const tried = nextReading(judged)?.first.ctx.workflowId;
  const woken = move.kind === 'release' ? move.runs.map(({ ctx }) => ctx.workflowId) : tried ? [tried] : [];
  const left = woken.reduce(leaveLine, judged);
  const next = move.kind === 'try' ? noteTry(left, tried ?? null) : left;
  return { state: next, did: [move.kind, ...woken].join(' '), wait: reading.wait };
}

describe("the quota gate's state over continue-as-new", () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const waiters = fc.record({ id, priority: fc.integer({ min: 1, max: 9 }) }).map((w) => waiter(w.id, w.priority));
  // Add each new field of the state here; otherwise this does not compile.
  const fields: { [K in keyof GateState]: fc.Arbitrary<GateState[K]> } = {
    waiting: fc.array(waiters),
    pause: fc.option(fc.nat(9_000)),
    trying: fc.option(id),
    refusals: fc.nat(9),
  };

  it("keeps every field of the gate's state over continue-as-new", () => {
    fc.assert(
      fc.property(fc.record(fields), (state) => {
        expect(carried(state)).toEqual(state);
      }),
    );
  });

  it('decides the same wherever the gate continues as new', () => {
    const event = fc.oneof(
      waiters.map((sent) => (state: GateState) => ({ state: enterLine(state, sent), did: 'enter', wait: 0 })),
      fc
        .constantFrom(null, null, unknown(), unknown(), figure(0), figure(100))
        .map((status) => (state: GateState) => read(state, status)),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ event, cut: fc.boolean() }), { maxLength: 40 }), (list) => {
        let [whole, parts] = [NEW_GATE, NEW_GATE];
        for (const { event: happens, cut } of list) {
          if (cut) parts = carried(parts);
          const [expected, found] = [happens(whole), happens(parts)];
          expect(found).toEqual(expected);
          [whole, parts] = [expected.state, found.state];
        }
      }),
    );
  });
});

describe('the queue of the quota gate', () => {
  it('wakes the highest-priority run first, then the longest waiting', () => {
    const line = [waiter('c', 5), waiter('a', 2), waiter('b', 2)].reduce<GateState>(enterLine, NEW_GATE);
    expect(nextReading(line)?.first.ctx.workflowId).toBe('a');
    expect(read(line, figure(0)).did).toBe('release a b c');
  });

  it('keeps the place of a run that enters again and updates its context', () => {
    const line = lineOf(waiter('a'), waiter('b'));
    const again = enterLine(line, waiter('a', 1, { leavesQuota: 0.5 }));
    expect(again.waiting.map(({ ctx }) => [ctx.workflowId, ctx.leavesQuota])).toEqual([
      ['a', 0.5],
      ['b', 0],
    ]);
  });

  it.each([null, {}, { ctx: {} }, waiter('a', Number.NaN), waiter('a', 1, { probeEverySeconds: 0 })])(
    'ignores the invalid waiter %j',
    (sent) => {
      expect(enterLine(lineOf(), sent).waiting).toEqual([]);
    },
  );

  it('ends the quota gate when no run waits', () => {
    expect(nextReading(leaveLine(lineOf(waiter('a')), 'a'))).toBeNull();
  });
});

describe('a quota reading', () => {
  it('reads the quota as often as the first run configures', () => {
    expect(nextReading(lineOf(waiter('a', 1, { probeEverySeconds: 7 })))?.wait).toBe(7);
  });

  it('wakes the runs that the quota left suffices for', () => {
    const line = lineOf(waiter('backfill', 9, { leavesQuota: 0.5 }), waiter('night'));
    expect(read(line, figure(60)).did).toBe('release night');
    expect(read(line, figure(40)).did).toBe('release night backfill');
    expect(read(line, figure(100)).did).toBe('release');
    expect(read(line, figure(60)).state.waiting.map(({ ctx }) => ctx.workflowId)).toEqual(['backfill']);
  });

  it('wakes all runs at the fifth refusal in a row, also over continue-as-new', () => {
    let state = lineOf(waiter('a'), waiter('b'));
    const did: string[] = [];
    for (let refusal = 0; refusal < 5; refusal++) {
      const result = read(carried(state), null);
      state = result.state;
      did.push(result.did);
    }
    expect(did).toEqual(['wait', 'wait', 'wait', 'wait', 'release a b']);
    expect(state.refusals).toBe(0);
  });

  it('restarts the count of refusals after an answer', () => {
    const refused = { ...lineOf(waiter('a')), refusals: 4 };
    const { state } = read(refused, figure(100));
    expect(state.refusals).toBe(0);
    expect(read(state, null).did).toBe('wait');
    expect(read({ ...refused, waiting: [waiter('a')] }, unknown()).state.refusals).toBe(0);
  });

  it('returns to the configured interval after a refusal', () => {
    const { state } = read({ ...lineOf(waiter('a')), pause: 3_600 }, null);
    expect(nextReading(state)?.wait).toBe(300);
  });
});

describe('without a quota figure', () => {
  it('tries one run and doubles the wait up to an hour', () => {
    let state = lineOf(waiter('a'), waiter('b', 2));
    const waits: number[] = [];
    for (let round = 0; round < 7; round++) {
      const result = read(carried(state), unknown());
      expect(result.did).toBe('try a');
      waits.push(result.wait);
      state = enterLine(result.state, waiter('a'));
    }
    expect(waits).toEqual([300, 300, 600, 1_200, 2_400, 3_600, 3_600]);
  });

  it('wakes all runs when the tried one does not return', () => {
    const tried = read(lineOf(waiter('a'), waiter('b'), waiter('c')), unknown());
    expect(tried.did).toBe('try a');
    const after = read(carried(tried.state), unknown());
    expect(after).toMatchObject({ did: 'release b c', state: { trying: null, pause: null, waiting: [] } });
  });

  it('forgets the tried run once a figure is known', () => {
    const tried = { ...lineOf(waiter('b')), trying: 'a', pause: 600 };
    expect(read(tried, figure(100)).state).toMatchObject({ trying: null, pause: null });
  });

  it('tries the next run if none could be woken', () => {
    const nobody = noteTry({ ...lineOf(waiter('b')), pause: 300 }, null);
    expect(read(carried(nobody), unknown()).did).toBe('try b');
  });
});
