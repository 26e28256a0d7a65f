import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CloseRunInput, CrawlChunkInput, PlanDueInput, QuotaStatus } from '../../schemas/pipeline/activities.js';
import type { Refusal } from '../../schemas/pipeline/refusal.js';
import type { RunContext, RunResult } from '../../schemas/pipeline/run.js';
import { marketSnapshot } from '../../workflows/market-snapshot.js';
import { resetTemporal, temporal } from './fake-temporal.js';

// Unit test files share a process; workflows loaded by another file would keep that file's mocks.
vi.hoisted(() => vi.resetModules());
vi.mock('@temporalio/workflow', async (original) => {
  const fake = await import('./fake-temporal.js');
  return { ...(await original<object>()), ...fake.temporal.exports };
});
vi.mock('../../workflows/proxies.js', async () => {
  const fake = await import('./fake-temporal.js');
  const all = fake.temporal.activities((name, args) => world.work(name, args[0]));
  return { quick: all, crawl: all, warehouse: all };
});

// Equal runs work equally long.
beforeAll(() => vi.useFakeTimers({ toFake: ['Date'], now: 0 }));
afterAll(() => vi.useRealTimers());

const CTX = {
  run: 'r',
  workflowId: 'w',
  workflowType: 'marketSnapshot',
  date: '2026-11-20',
  asOfNow: true,
  market: 'demo',
  streams: ['companies', 'financials'],
  probeEverySeconds: 300,
  startedAt: '2026-11-20T00:00:00.000Z',
  maxConcurrency: 16,
  stateAttributes: [],
  workers: 1,
  eventsPerRun: 15,
  leavesQuota: 0.1,
  gate: null,
  note: 'said at the start',
} as Partial<RunContext> as RunContext;
const REFUSAL: Refusal = {
  stream: 'financials',
  endpoint: 'GET /v2/financial/{id}',
  permission: 'p',
  module: null,
  app: null,
  guard: null,
  message: 'no',
};
const CHUNKS = 5;
// Events that an activity adds: two activities exceed the limit, or none ever does.
const OFTEN = 10;
const NEVER = 0;
const NAMES = ['pause', 'stop', 'setConcurrency', 'none'] as const;
type Signal = (typeof NAMES)[number];

/** An API and a warehouse in memory. Answers depend on earlier requests, not on continue-as-new. */
class World {
  /** Activities in order, with the relevant part of their input. */
  did: string[] = [];
  closed: CloseRunInput | null = null;
  #calls = new Map<string, number>();
  #signalled = 0;
  #requests = 0;
  #rows = 0;

  constructor(
    readonly quota: QuotaStatus,
    /** Signals to send, by the number of the activity at which they are sent. */
    readonly signals: readonly Signal[],
  ) {}

  work(name: string, input: unknown): unknown {
    // Every execution calls `planDue` and `readQuota` again, so no signal is tied to their number.
    if (name !== 'planDue' && name !== 'readQuota') this.#signal(name);
    switch (name) {
      case 'openRun':
        return CTX;
      case 'readQuota':
        return { ...this.quota, clock: this.#once('clock') ? '1 s ahead' : '2 s ahead' };
      case 'crawlListing':
        return { ...this.#landed(3), entities: 3, limited: false, shortfall: 'a list is short' };
      case 'discoverMarket': {
        const done = this.#calls.get('discoverMarket') === 3;
        const coverage = done ? { reportedTotal: 9, distinctCompanies: 9, missing: 0, share: 1 } : null;
        const unlisted = { code: 'unlisted', values: {}, missing: 1, searches: 1, reason: 'a segment is short' };
        return {
          ...this.#landed(5),
          done,
          limited: false,
          reportedTotal: 9,
          distinctCompanies: 9,
          coverage,
          causes: done ? [unlisted] : [],
        };
      }
      case 'planDue': {
        const { stream } = input as PlanDueInput;
        return { stream, known: 9, due: 9, reasons: { new: 9 }, chunks: CHUNKS, chunkSize: 2, idle: false };
      }
      case 'crawlChunk':
        return this.#chunk(input as CrawlChunkInput);
      case 'enterQuotaGate':
        setImmediate(() => temporal.send('quotaOpened'));
        return;
      case 'closeRun':
        this.closed = input as CloseRunInput;
        return { requests: this.#requests, rows: this.#rows, forecast: null, drift: null };
      case 'loadLanding':
        return { parts: 1, rows: 1, rejects: 0 };
      case 'buildModels':
        return { models: 1, failedAudits: [], drift: [], newDrift: [], notes: [], unloaded: null };
      default:
        return { file: 'market.duckdb', tables: 1, rows: 1, notes: [] };
    }
  }

  #chunk({ stream, chunk }: CrawlChunkInput): object {
    const key = `${stream} ${chunk}`;
    this.did.push(key);
    const landed = { failed: 0, limited: false, workers: 1 };
    if (key === 'companies 1') return { ...this.#landed(2), ...landed, failed: 1 };
    if (key === 'companies 2' && this.#once(key)) return { ...landed, rows: 1, requests: 1, limited: true };
    // The API answered the records of the other chunk, but none of this chunk. So the workflow repeats this chunk.
    if (key === 'financials 1' && this.#once(key)) return { ...landed, rows: 0, requests: 1, closed: { sure: false } };
    if (key === 'financials 2') return { ...this.#landed(2), ...landed, refused: [REFUSAL] };
    return { ...this.#landed(2), ...landed };
  }

  #landed(rows: number): { rows: number; requests: number } {
    this.#requests += rows;
    this.#rows += rows;
    return { rows, requests: rows };
  }

  #once(key: string): boolean {
    const calls = this.#calls.get(key) ?? 0;
    this.#calls.set(key, calls + 1);
    return calls === 0;
  }

  #signal(name: string): void {
    this.did.push(name);
    const signal = this.signals[this.#signalled++];
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
    if (signal === 'pause') {
      temporal.send('pause');
      setImmediate(() => temporal.send('resume'));
    } else if (signal === 'setConcurrency') {
      temporal.send('setConcurrency', 3);
    } else if (signal === 'stop') {
      temporal.send('stop');
    }
  }
}

let world: World;

interface Seen {
  result: RunResult;
  progress: unknown;
  did: string[];
  closed: CloseRunInput | null;
}

async function snapshot(events: number, quota: QuotaStatus, signals: World['signals']): Promise<Seen> {
  resetTemporal(events);
  world = new World(quota, signals);
  const result = await temporal.run(marketSnapshot, [{}]);
  const { did, closed } = world;
  // Before a run continues as new, it waits for the chunks in progress. So it starts chunks at other times.
  return { result, did: did.toSorted(), closed, progress: temporal.handlers.get('progress')?.() };
}

const known: QuotaStatus = {
  known: true,
  metric: 'm',
  used: 0,
  total: 100,
  open: true,
  clock: null,
  fault: null,
};
const unknown: QuotaStatus = { ...known, known: false, metric: null, total: 0 };

describe('a market snapshot that often continues as new', () => {
  it('ends the same with and without continue-as-new', async () => {
    const { result, closed, did } = await snapshot(NEVER, known, []);
    expect(temporal.carried).toEqual([]);
    expect(result).toMatchObject({
      outcome: 'partial',
      due: [{ stream: 'companies' }, { stream: 'financials' }],
      refused: [REFUSAL],
      notes: [
        'said at the start',
        '1 s ahead',
        'a list is short',
        'a segment is short',
        expect.stringMatching(/^\d+ company records? could not be fetched/),
        expect.stringMatching(/lacks the permission "p"/),
      ],
    });
    expect(closed).toMatchObject({ landed: result.rows, refused: [REFUSAL] });
    const cut = await snapshot(OFTEN, known, []);
    expect(temporal.carried.length).toBeGreaterThanOrEqual(8);
    expect(cut).toEqual({ result, closed, did, progress: expect.objectContaining({ notes: result.notes }) });
  });

  it('ends the same over continue-as-new for any pauses, changes of concurrency and quota', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(known, unknown),
        fc.array(fc.constantFrom<Signal>('pause', 'setConcurrency', 'none', 'none'), { maxLength: 25 }),
        async (quota, signals) => {
          const whole = await snapshot(NEVER, quota, signals);
          const cut = await snapshot(OFTEN, quota, signals);
          expect(cut).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  // A stop lets the chunks in progress end. Before continue-as-new, fewer may be in progress.
  it('stops without a gap between the chunks, with and without continue-as-new', async () => {
    const signal = fc.constantFrom<Signal>(...NAMES, 'none', 'none');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(known, unknown),
        fc.tuple(fc.array(signal, { minLength: 1, maxLength: 12 }), fc.array(signal, { maxLength: 5 })),
        async (quota, [before, after]) => {
          const signals: Signal[] = [...before, 'stop', ...after];
          const runs = [await snapshot(NEVER, quota, signals), await snapshot(OFTEN, quota, signals)];
          for (const { result, closed, did } of runs) {
            expect(result.outcome).toBe('stopped');
            expect(closed?.landed).toBe(result.rows);
            for (const stream of ['companies', 'financials']) {
              const started = new Set(
                did.filter((one) => one.startsWith(`${stream} `)).map((one) => Number(one.split(' ')[1])),
              );
              expect([...started].toSorted((a, b) => a - b)).toEqual(
                Array.from({ length: started.size }, (_, chunk) => chunk),
              );
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
