import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QuotaStatus } from '../../../schemas/pipeline/activities.js';
import type { CarriedRun } from '../../../schemas/pipeline/carried.js';
import type { StatedReason } from '../../../schemas/pipeline/reason.js';
import type { Refusal } from '../../../schemas/pipeline/refusal.js';
import type { Progress, RunContext } from '../../../schemas/pipeline/run.js';
import { beginning, RunState } from '../../../workflows/run/run-state.js';

const CTX: RunContext = {
  run: 'r',
  workflowId: 'w',
  workflowType: 'marketSnapshot',
  date: '2026-11-20',
  asOfNow: true,
  market: 'demo',
  filters: {},
  streams: ['companies'],
  refreshSeconds: {},
  from: '2026-11-20',
  to: '2026-11-20',
  startedAt: '2026-11-20T00:00:00.000Z',
  folder: { id: 'i', path: '/srv/data', host: 'h' },
  configHash: 'h',
  fileHash: 'f',
  stateAttributes: [],
  workers: 1,
  leavesQuota: 0,
  probeEverySeconds: 300,
  maxConcurrency: 16,
  gate: null,
  note: null,
};

function begin(): RunState {
  const notes: string[] = [];
  const progress: Progress = {
    phase: 'crawling',
    date: CTX.date,
    market: 'demo',
    steps: [],
    requests: 0,
    startedAt: CTX.startedAt,
    notes,
  };
  return new RunState(beginning(CTX, progress, notes));
}

/** The state as the next execution receives it, through JSON. */
function carried(state: RunState): RunState {
  return new RunState(JSON.parse(JSON.stringify(state.carry())) as CarriedRun);
}

/** Everything that the rest of a run can read of its state. */
function seen(state: RunState): object {
  return {
    ...state.carry(),
    complete: state.complete,
    held: state.held,
    quotaKnown: state.quotaKnown,
    landed: state.landed,
    routes: state.refusedRoutes('companies'),
  };
}

const status = (more: Partial<QuotaStatus> = {}): QuotaStatus => ({
  known: true,
  metric: 'm',
  used: 0,
  total: 10,
  open: true,
  clock: null,
  fault: null,
  ...more,
});

const because = (reason: string): StatedReason => ({ code: 'stopped', values: {}, reason });

const refusalOf = (stream: string, endpoint: string): Refusal => ({
  stream,
  endpoint,
  permission: null,
  module: null,
  app: null,
  guard: null,
  message: 'no',
});

describe("the run's state over continue-as-new", () => {
  const count = fc.nat(1_000);
  const text = fc.string();
  const coverage = fc.record({ reportedTotal: count, distinctCompanies: count, missing: count, share: fc.constant(1) });
  // Add each new field of `CarriedRun` here; otherwise this does not compile.
  const fields: { [K in keyof Required<CarriedRun>]: fc.Arbitrary<Required<CarriedRun>[K]> } = {
    ctx: fc.record({ run: text, probeEverySeconds: count }).map((some) => ({ ...CTX, ...some })),
    paused: fc.boolean(),
    concurrency: fc.option(count),
    workers: count,
    completed: fc.array(text),
    nextChunk: count,
    again: fc.option(fc.record({ chunks: fc.array(count), next: count })),
    progress: fc.record({ requests: count, phase: fc.constantFrom('crawling', 'paused') }).map((some) => ({
      ...begin().progress,
      ...some,
    })),
    coverage: fc.option(coverage),
    short: fc.boolean(),
    quotaUnknown: fc.boolean(),
    clockNoted: fc.boolean(),
    waitedMs: count,
    waitAlerted: fc.boolean(),
    stopped: fc.boolean(),
    landed: count,
    due: fc.array(fc.record({ stream: fc.constant('companies'), known: count, due: count, reasons: fc.constant({}) })),
    refused: fc.array(fc.record({ stream: text, endpoint: text }).map((r) => refusalOf(r.stream, r.endpoint))),
    why: fc.array(text.map((reason): StatedReason => ({ code: 'stopped', values: {}, reason }))),
    failed: fc.dictionary(text, count),
    notes: fc.array(text),
    loadWarnings: fc.record({ parts: fc.array(text), drift: fc.array(text) }),
  };

  it("keeps every field of the run's state over continue-as-new", () => {
    fc.assert(
      fc.property(fc.record(fields), (run) => {
        const expected = { ...run, progress: { ...run.progress, notes: run.notes } };
        expect(carried(new RunState(structuredClone(run))).carry()).toEqual(expected);
      }),
    );
  });

  type Operation = (state: RunState) => unknown;
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    fc.constantFrom<Operation>(
      (state) => state.pause(),
      (state) => state.resume(),
      (state) => state.requestStop(),
      (state) => state.noteQuota(status({ known: false })),
      (state) => state.noteQuota(status({ known: false, fault: 'unreachable' })),
      (state) => state.noteClock(status({ clock: '3 days ahead' })),
      (state) => state.noteClock(status({ clock: '4 days ahead' })),
      (state) => state.noteRefusal(refusalOf('companies', '/v2/companies')),
      (state) => state.noteRefusal(refusalOf('companies', '/v2/else'), { matters: false }),
      (state) => state.due.push({ stream: 'companies', known: 2, due: 1, reasons: { new: 1 } }),
      (state) => (state.coverage = { reportedTotal: 2, distinctCompanies: 1, missing: 1, share: 0.5 }),
      (state) => (state.again = { chunks: [1], next: 2 }),
      (state) =>
        state.correctCoverage({
          coverage: { distinctCompanies: 2, missing: 0, share: 1 },
          reason: 'why',
          counted: 1,
          loaded: 2,
        }),
    ),
    count.map((rows) => (state: RunState) => state.countLanded(rows)),
    count.map((limit) => (state: RunState) => state.setConcurrency(limit)),
    fc.tuple(fc.nat(2), fc.nat(3)).map(
      ([chunk, failed]) =>
        (state: RunState) =>
          state.noteFailed('s', chunk, failed),
    ),
    count.map((chunk) => (state: RunState) => (state.nextChunk = chunk)),
    count.map((requests) => (state: RunState) => (state.progress.requests += requests)),
    fc.constantFrom('a', 'b').map((words) => (state: RunState) => state.note(words)),
    fc.constantFrom('b', 'c').map((words) => (state: RunState) => state.markIncomplete(because(words))),
    fc.constantFrom('search', 'companies').map((name) => (state: RunState) => state.beginStep(name)),
    fc.constantFrom('search', 'companies').map((name) => (state: RunState) => {
      const shown = state.beginStep(name);
      if (shown) state.endStep(shown);
    }),
  );

  it('decides the same wherever the run continues as new', () => {
    const steps = fc.array(fc.record({ operation, cut: fc.boolean() }), { maxLength: 30 });
    fc.assert(
      fc.property(steps, (list) => {
        const whole = begin();
        let parts = begin();
        for (const step of list) {
          for (const state of [whole, parts]) step.operation(state);
          // A run continues as new only at a checkpoint: when it is not held and has handled a stop.
          if (step.cut && !whole.held) {
            expect(parts.obeyStop()).toBe(whole.obeyStop());
            parts = carried(parts);
          }
          expect(seen(parts)).toEqual(seen(whole));
        }
      }),
    );
  });

  it('shows new notes in the progress after continue-as-new', () => {
    const state = carried(begin());
    state.note('said after continue-as-new');
    expect(state.progress.notes).toEqual(['said after continue-as-new']);
  });
});

describe('pause, resume and stop', () => {
  it('holds a paused run until resume', () => {
    const state = begin();
    state.pause();
    expect([state.held, carried(state).held]).toEqual([true, true]);
    state.resume();
    expect([state.held, state.obeyStop()]).toEqual([false, false]);
  });

  it('ends the pause of a run on stop', () => {
    const state = begin();
    state.pause();
    expect(state.requestStop()).toBe(true);
    expect(state.held).toBe(false);
    expect(state.obeyStop()).toBe(true);
    expect([state.paused, state.stopped, state.stopRequested]).toEqual([false, true, false]);
  });

  it('stops every chunk of a stopped run', () => {
    const state = begin();
    state.requestStop();
    expect([state.obeyStop(), state.obeyStop(), carried(state).obeyStop()]).toEqual([true, true, true]);
  });

  it('ignores a stop after the crawl has ended', () => {
    const state = begin();
    state.endCrawl();
    expect(state.requestStop()).toBe(false);
    expect([state.obeyStop(), state.stopRequested, state.stopped]).toEqual([false, false, false]);
  });

  it('lets a stopped run finish', () => {
    const state = begin();
    state.requestStop();
    state.obeyStop();
    state.endCrawl();
    expect([state.obeyStop(), state.stopped]).toEqual([false, true]);
  });
});

describe('setConcurrency', () => {
  it.each([
    [5, 5],
    [16, 16],
    [0, null],
  ])('on %j sets %j', (limit, expected) => {
    const state = begin();
    expect(state.concurrencyFault(limit)).toBeNull();
    state.setConcurrency(limit);
    expect(state.concurrency).toBe(expected);
  });

  it.each([
    { limit: 17, message: 'Cannot set 17 requests in flight: api.maxConcurrency allows 16.' },
    ...[-1, 513, 0.5, '5', null, Number.NaN].map((limit) => ({ limit, message: 'a whole number from 0 to 512' })),
  ])('refuses $limit', ({ limit, message }) => {
    expect(begin().concurrencyFault(limit)).toContain(message);
  });

  it('refuses every number after the end of the crawl', () => {
    const state = begin();
    state.endCrawl();
    expect(state.concurrencyFault(5)).toMatch(/crawl of this run has ended/);
  });
});

describe('steps of a run', () => {
  it('runs a step once, also after continue-as-new', () => {
    const state = begin();
    const shown = state.beginStep('search');
    expect(shown).toEqual({ name: 'search', done: 0, total: null, state: 'running', workedMs: 0 });
    if (shown) state.endStep(shown);
    expect(shown?.state).toBe('done');
    expect([state.beginStep('search'), carried(state).beginStep('search')]).toEqual([null, null]);
  });

  it('continues a step at its progress and chunk after continue-as-new', () => {
    const state = begin();
    Object.assign(state.beginStep('companies') ?? {}, { done: 20, total: 60 });
    [state.nextChunk, state.again] = [2, { chunks: [3], next: 4 }];
    const next = carried(state);
    expect(next.beginStep('companies')).toMatchObject({ done: 20, total: 60 });
    expect(next.progress.steps).toHaveLength(1);
    expect([next.nextChunk, next.again]).toEqual([2, { chunks: [3], next: 4 }]);
  });

  it('starts each step at its first chunk', () => {
    const state = begin();
    const search = state.beginStep('search');
    [state.nextChunk, state.again] = [7, { chunks: [7], next: 8 }];
    if (search) state.endStep(search);
    expect([state.nextChunk, state.again]).toEqual([0, null]);
  });
});

describe('a partial run', () => {
  it('marks a run partial and adds each reason once', () => {
    const state = begin();
    state.markIncomplete(null);
    expect(state.complete).toBe(true);
    state.markIncomplete(because('some records failed'));
    const next = carried(state);
    next.markIncomplete(because('some records failed'));
    expect([next.complete, next.notes]).toEqual([false, ['some records failed']]);
  });

  it('counts failed records of a stream in one reason, and a repeated chunk once', () => {
    const state = begin();
    state.noteFailed('financials', 0, 0);
    expect(state.complete).toBe(true);
    state.noteFailed('financials', 0, 1);
    expect(state.notes).toEqual(['1 report could not be fetched; `tidemark rejects` lists it.']);
    const next = carried(state);
    next.note('other');
    next.noteFailed('financials', 0, 1);
    next.noteFailed('financials', 3, 1_200);
    next.noteFailed('companies', 3, 2);
    expect(next.complete).toBe(false);
    expect(next.why).toEqual([
      {
        code: 'records_failed',
        values: { stream: 'financials', records: 1_201 },
        reason: '1,201 reports could not be fetched; `tidemark rejects` lists them.',
      },
      {
        code: 'records_failed',
        values: { stream: 'companies', records: 2 },
        reason: '2 company records could not be fetched; `tidemark rejects` lists them.',
      },
    ]);
    expect(next.notes).toEqual([next.why[0]!.reason, 'other', next.why[1]!.reason]);
    expect(next.progress.why).toEqual(next.why.map(({ reason }) => reason));
  });

  it('marks a run partial while companies are missing', () => {
    const state = begin();
    state.coverage = { reportedTotal: 10, distinctCompanies: 9, missing: 1, share: 0.9 };
    expect(carried(state).complete).toBe(false);
    state.correctCoverage({
      coverage: { distinctCompanies: 10, missing: 0, share: 1 },
      reason: 'one was there',
      counted: 9,
      loaded: 10,
    });
    expect([state.coverage.missing, state.complete]).toEqual([0, false]);
  });

  it('requests a refused route only once', () => {
    const state = begin();
    state.noteRefusal(refusalOf('matches', '/v2/a'));
    const next = carried(state);
    next.noteRefusal(refusalOf('matches', '/v2/a'));
    next.noteRefusal(refusalOf('companies', '/v2/b'), { matters: false });
    expect([next.refusedRoutes('matches'), next.refusedRoutes('companies')]).toEqual([['/v2/a'], ['/v2/b']]);
    expect(next.notes).toHaveLength(1);
  });

  it('stays complete after a minor refusal, a note and a fast clock', () => {
    const state = begin();
    state.noteRefusal(refusalOf('nomenclatures', '/v1/lists'), { matters: false });
    state.note('for your information');
    state.noteClock(status({ clock: '3 s ahead' }));
    const next = carried(state);
    next.noteClock(status({ clock: '4 s ahead' }));
    expect([next.complete, next.notes]).toEqual([true, ['for your information', '3 s ahead']]);
  });
});

describe('the table on which a run works', () => {
  const table = { name: 'core.companies', done: 1, total: 48 };

  it('is stored while models are built or tables are published', () => {
    const state = begin();
    state.noteTable(table);
    expect(state.progress.table).toBeUndefined();
    state.progress.phase = 'modelling';
    state.noteTable(table);
    expect(state.progress.table).toEqual(table);
  });

  it.each([null, 'x', {}, { ...table, done: '1' }, { ...table, total: 0.5 }, { ...table, name: 7 }])(
    'ignores the malformed signal %j',
    (sent) => {
      const state = begin();
      state.progress.phase = 'publishing';
      state.noteTable(sent);
      expect(state.progress.table).toBeUndefined();
    },
  );
});
