import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../../../src/base/text/display-width.js';
import { renderFrame, renderLine, warningsOf } from '../../../../src/cli/terminal/frame.js';
import type { RunState, StepState } from '../../../../src/temporal/runs/run-state.js';

function step(more: Partial<StepState>): StepState {
  return { name: 'companies', done: 0, total: null, state: 'running', workedMs: 0, rate: null, samples: [], ...more };
}

function state(more: Partial<RunState>): RunState {
  return {
    phase: 'crawling',
    date: '2026-11-20',
    market: 'demo',
    steps: [],
    requests: 0,
    notes: [],
    retries: [],
    slowed: [],
    waiting: null,
    table: null,
    workers: true,
    elapsed: 0,
    ...more,
  };
}

const options = { title: 'Snapshot of market demo', width: 100, color: false, tick: 0 };

describe('renderFrame', () => {
  it('shows a headline, finished steps, and a bar with rate and ETA', () => {
    const steps = [
      step({ name: 'nomenclatures', done: 0, total: 0, state: 'done' }),
      step({ name: 'search', done: 10_000, total: 10_000, state: 'done' }),
      step({ name: 'companies', done: 4_000, total: 10_000, rate: 1_000 }),
    ];
    expect(renderFrame(state({ steps, requests: 4_155, elapsed: 5_000 }), options)).toEqual([
      'Snapshot of market demo · crawling · 4,155 requests · 5.0s',
      '  ✔ nomenclatures  nothing due',
      '  ✔ search         10,000/10,000',
      '  ⠋ companies      █████████░░░░░░░░░░░░░░░  4,000/10,000  40 %  1,000/s  ETA 6.0s',
    ]);
  });

  it('shows how `limit` answers slow down the workers', () => {
    const slowed = state({ requests: 40, slowed: ['slowed by limit to 4 at a time, 12/s'] });
    expect(renderLine(slowed)).toBe('crawling · 40 requests · slowed by limit to 4 at a time, 12/s · 0.0s');
    expect(renderFrame(slowed, options)[0]).toContain('40 requests · slowed by limit to 4 at a time, 12/s · 0.0s');
  });

  it('shows why records are due if the terminal is wide enough', () => {
    const steps = [step({ done: 4, total: 10, about: '4 new, 6 stale' })];
    expect(renderFrame(state({ steps }), options)[1]).toBe(
      '  ⠋ companies     █████████░░░░░░░░░░░░░░░  4/10  40 %  (4 new, 6 stale)',
    );
    expect(renderFrame(state({ steps }), { ...options, width: 60 })[1]).toBe(
      '  ⠋ companies     █████████░░░░░░░░░░░░░░░  4/10  40 %',
    );
    const done = [step({ done: 10, total: 10, state: 'done', about: '4 new, 6 stale' })];
    expect(renderFrame(state({ steps: done }), options)[1]).toBe('  ✔ companies     10/10  (4 new, 6 stale)');
    expect(renderLine(state({ steps }))).toMatch(/companies 4\/10 40 % \(4 new, 6 stale\)/);
  });

  it('shows the phase after the last step', () => {
    expect(renderFrame(state({ phase: 'publishing' }), options).at(-1)).toBe('  ⠋ publishing');
  });

  it.each([
    [100, '  ⠋ building the models  13 of 48  core.financials_history'],
    [60, '  ⠋ building the models  13 of 48  core.financials_history'],
    [44, '  ⠋ building the models  13 of 48  core.fin…'],
  ])('names the model that is built, at %i columns', (width, line) => {
    const table = { name: 'core.financials_history', done: 12, total: 48 };
    expect(renderFrame(state({ phase: 'modelling', table }), { ...options, width }).at(-1)).toBe(line);
    expect(renderLine(state({ phase: 'modelling', table }))).toMatch(
      /^building the models {2}13 of 48 {2}core\.financials_history · /,
    );
  });

  it('drops the progress bar on a narrow terminal', () => {
    const lines = renderFrame(state({ steps: [step({ done: 1, total: 2 })] }), { ...options, width: 40 });
    expect(lines[1]).toBe('  ⠋ companies     1/2  50 %');
  });

  it('writes no line wider than the terminal', () => {
    const anyStep = fc.record({
      name: fc.constantFrom('search', 'companies', 'tender details'),
      done: fc.nat(2_000_000),
      total: fc.option(fc.nat(2_000_000)),
      state: fc.constantFrom('running' as const, 'done' as const),
      rate: fc.option(fc.double({ min: 0.1, max: 10_000, noNaN: true })),
    });
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 5 }),
        fc.integer({ min: 40, max: 160 }),
        fc.string(),
        (steps, width, note) => {
          const shown = state({ steps: steps.map(step), notes: [note] });
          for (const line of renderFrame(shown, { ...options, width }))
            expect(displayWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

describe('a run that waits', () => {
  it('says why it waits, in a narrow terminal on several lines', () => {
    const waiting = 'The daily quota of the API is used up. Tidemark checks every 15m.';
    const lines = renderFrame(state({ phase: 'waiting-for-quota', waiting }), { ...options, width: 59 });
    expect(lines.slice(-2)).toEqual([
      '  ! The daily quota of the API is used up. Tidemark checks',
      '    every 15m. The run then continues by itself.',
    ]);
  });
});

describe('renderLine', () => {
  it('writes the progress of a run on one line', () => {
    const steps = [step({ name: 'search', state: 'done' }), step({ done: 43, total: 100, rate: 12 })];
    expect(renderLine(state({ steps, requests: 60, elapsed: 65_000 }))).toBe(
      'crawling · companies 43/100 43 % 12/s ETA 4.8s · 60 requests · 1m 05s',
    );
  });
});

describe('warningsOf', () => {
  it('warns about workers, quota, retries and notes', () => {
    const warnings = warningsOf(
      state({
        phase: 'waiting-for-quota',
        workers: false,
        retries: [{ activity: 'crawlChunk', attempt: 2, message: 'the API\ndoes not answer' }],
        notes: ['2026-11-01 is past'],
      }),
    );
    expect(warnings).toEqual([
      'No worker is running. Start one with `tidemark worker`.',
      expect.stringContaining('daily limit'),
      'crawlChunk: attempt 2 failed, Temporal retries: the API does not answer',
      '2026-11-01 is past',
    ]);
  });
});
