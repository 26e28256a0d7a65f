import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Progress } from '../../../../schemas/pipeline/run.js';
import {
  advance,
  remainingMs,
  type Beat,
  type Observation,
  type RunState,
} from '../../../../src/temporal/runs/run-state.js';

function progress(steps: Progress['steps'], more: Partial<Progress> = {}): Progress {
  return {
    phase: 'crawling',
    date: '2026-11-20',
    market: 'demo',
    steps,
    requests: 0,
    startedAt: null,
    notes: [],
    ...more,
  };
}

function seen(more: Partial<Observation>): Observation {
  return { progress: null, beats: [], retries: [], slowed: [], workers: true, ...more };
}

function beat(more: Partial<Beat>): Beat {
  return { activity: 'crawlChunk', step: 'companies', done: 0, total: 500, requests: 0, ...more };
}

const companies = { name: 'companies', done: 1_000, total: 5_000, state: 'running' as const, workedMs: 0 };

describe('advance', () => {
  it('has no speed while the run waits, and measures again afterwards', () => {
    const at = (ms: number, done: number, phase: Progress['phase'], before: RunState | null): RunState =>
      advance(before, seen({ progress: progress([{ ...companies, done }], { phase }) }), ms, 0);
    const crawling = at(2_000, 1_400, 'crawling', at(0, 1_000, 'crawling', null));
    expect(crawling.steps[0]?.rate).toBe(200);
    const paused = at(4_000, 1_400, 'paused', crawling);
    expect(paused.steps[0]?.rate).toBeNull();
    const again = at(8_000, 1_600, 'crawling', at(7_000, 1_400, 'crawling', paused));
    expect(again.steps[0]?.rate).toBe(50);
  });

  it("adds heartbeats of chunks in flight to the workflow's counts", () => {
    const beats = [beat({ done: 120, requests: 130 }), beat({ done: 30, requests: 31 })];
    const state = advance(null, seen({ progress: progress([companies], { requests: 1_010 }), beats }), 10_000, 4_000);
    expect(state.steps[0]).toMatchObject({ name: 'companies', done: 1_150, total: 5_000 });
    expect(state).toMatchObject({ requests: 1_171, elapsed: 6_000, phase: 'crawling' });
  });

  it('takes counts of listings and searches from the heartbeat', () => {
    const search = { name: 'search', done: 800, total: null, state: 'running' as const, workedMs: 0 };
    const beats = [beat({ activity: 'discoverMarket', step: 'search', done: 950, total: 10_000 })];
    expect(advance(null, seen({ progress: progress([search]), beats }), 0, 0).steps[0]).toMatchObject({
      done: 950,
      total: 10_000,
    });
  });

  it('matches a step to the name in its heartbeat', () => {
    const step = { name: 'tender details', done: 0, total: 400, state: 'running' as const, workedMs: 0 };
    const beats = [beat({ step: 'tender_details', done: 7 })];
    expect(advance(null, seen({ progress: progress([step]), beats }), 0, 0).steps[0]?.done).toBe(7);
  });

  it('takes the table from the heartbeat, else from the workflow', () => {
    const table = { name: 'core.companies', done: 3, total: 48 };
    const modelling = progress([], { phase: 'modelling', table });
    expect(advance(null, seen({ progress: modelling }), 0, 0).table).toEqual(table);
    const beats = [beat({ activity: 'buildModels', step: 'models', done: 7, total: 48, table: 'marts.companies' })];
    expect(advance(null, seen({ progress: modelling, beats }), 0, 0).table).toEqual({
      name: 'marts.companies',
      done: 7,
      total: 48,
    });
    expect(advance(null, seen({ progress: progress([companies]) }), 0, 0).table).toBeNull();
  });

  it('keeps the last state while the workflow does not answer', () => {
    const before = advance(null, seen({ progress: progress([companies], { requests: 9 }) }), 0, 0);
    const after = advance(before, seen({ workers: false }), 500, 0);
    expect(after).toMatchObject({ phase: 'crawling', requests: 9, workers: false, steps: [{ done: 1_000 }] });
  });

  it("ends with the workflow's own counts even if lower", () => {
    const before = advance(
      null,
      seen({ progress: progress([companies]), beats: [beat({ done: 90, requests: 95 })] }),
      0,
      0,
    );
    const done = progress([{ ...companies, done: 1_080, state: 'done' }], { phase: 'done', requests: 94 });
    expect(advance(before, seen({ progress: done }), 500, 0)).toMatchObject({ requests: 94, steps: [{ done: 1_080 }] });
  });

  it('shows rate and remaining time after several samples', () => {
    let state: RunState | null = null;
    for (let i = 0; i <= 8; i++) {
      const step = { ...companies, done: 1_000 + i * 50 };
      state = advance(state, seen({ progress: progress([step]) }), i * 500, 0);
      if (i === 0) expect(state.steps[0]?.rate).toBeNull();
    }
    expect(state?.steps[0]?.rate).toBeCloseTo(100);
    expect(remainingMs(state!.steps[0]!)).toBeCloseTo(36_000);
  });

  it('never counts down and never beyond the total', () => {
    const look = fc.record({
      done: fc.nat(5_000),
      parts: fc.array(fc.nat(500), { maxLength: 3 }),
      answered: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(look, { minLength: 1, maxLength: 20 }), (looks) => {
        let state: RunState | null = null;
        let counted = 0;
        looks.forEach(({ done, parts, answered }, i) => {
          // In a workflow, the number of done records never falls.
          counted = Math.max(counted, done);
          const step = { ...companies, done: counted };
          const before: RunState | null = state;
          state = advance(
            before,
            seen({
              progress: answered ? progress([step]) : null,
              beats: parts.map((n) => beat({ done: n, requests: n })),
            }),
            i * 500,
            0,
          );
          const now = state.steps[0]?.done ?? 0;
          expect(now).toBeGreaterThanOrEqual(before?.steps[0]?.done ?? 0);
          expect(now).toBeLessThanOrEqual(5_000);
          expect(state.requests).toBeGreaterThanOrEqual(before?.requests ?? 0);
        });
      }),
    );
  });
});
