import { ApplicationFailure, CancelledFailure } from '@temporalio/workflow';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Refusal } from '../../schemas/pipeline/refusal.js';
import type { RunContext } from '../../schemas/pipeline/run.js';
import * as exported from '../../workflows/index.js';
import { resetTemporal, temporal } from './fake-temporal.js';

// Unit test files share a process; workflows loaded by another file would keep that file's mocks.
vi.hoisted(() => vi.resetModules());
vi.mock('@temporalio/workflow', async (original) => {
  const fake = await import('./fake-temporal.js');
  return { ...(await original<object>()), ...fake.temporal.exports };
});
vi.mock('../../workflows/proxies.js', async () => {
  const fake = await import('./fake-temporal.js');
  const all = fake.temporal.activities((name, [input, ...more]) => {
    calls.push([name, input as Input, ...more]);
    return (answers[name] ?? (() => undefined))(input as Input);
  });
  const spread = fake.temporal.activities((name, [input]) => {
    calls.push([`spread ${name}`, input as Input]);
    return (answers[name] ?? (() => undefined))(input as Input);
  });
  return { quick: all, crawl: all, warehouse: all, early: all, spread };
});

const workflows: Record<string, (...given: never[]) => Promise<unknown>> = { ...exported };

interface Input {
  listing?: string;
  stream?: string;
  chunk?: number;
  round?: number;
  [field: string]: unknown;
}

const FOLDER = { id: 'i', path: '/srv/data', host: 'h' };
const CTX: RunContext = {
  run: 'r',
  workflowId: 'w',
  workflowType: 'marketSnapshot',
  date: '2026-11-20',
  asOfNow: true,
  market: 'demo',
  filters: {},
  streams: ['companies', 'financials'],
  refreshSeconds: {},
  from: '2026-11-20',
  to: '2026-11-20',
  folder: FOLDER,
  startedAt: '2026-11-20T00:00:00.000Z',
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
const COVERAGE = { reportedTotal: 9, distinctCompanies: 9, missing: 0, share: 1 };
const REFUSAL: Refusal = {
  stream: 'prospecting',
  endpoint: 'POST /v2/prospecting',
  permission: 'Search',
  module: null,
  app: null,
  guard: null,
  message: 'no',
};
const FOUND = {
  done: true,
  limited: false,
  requests: 4,
  rows: 2,
  reportedTotal: 9,
  distinctCompanies: 9,
  causes: [],
};
const MODELS = { models: 3, failedAudits: [], drift: [], newDrift: [], notes: [], unloaded: null };
const ROOM = { known: true, metric: 'm', used: 0, total: 100, open: true, clock: null, fault: null };

let calls: [name: string, input: Input, ...more: unknown[]][];
let answers: Record<string, (input: Input) => unknown>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  resetTemporal(0);
  calls = [];
  answers = {
    openRun: () => CTX,
    readQuota: () => ROOM,
    crawlListing: () => ({ rows: 3, requests: 1, entities: 30, limited: false, shortfall: null }),
    discoverMarket: () => ({ ...FOUND, coverage: COVERAGE }),
    planDue: ({ stream }) => ({ stream, chunkSize: 5, known: 9, due: 7, reasons: { new: 7 }, chunks: 2, idle: false }),
    crawlChunk: () => ({ rows: 5, requests: 5, failed: 0, limited: false, workers: 1 }),
    closeRun: () => ({ requests: 99, rows: 77, forecast: 80, drift: null }),
    loadLanding: () => ({ parts: 4, rows: 10, rejects: 6 }),
    buildModels: () => MODELS,
    publishWarehouse: () => ({ file: 'market.duckdb', tables: 1, rows: 1, notes: [] }),
  };
});

afterAll(() => vi.useRealTimers());

const run = (type: keyof typeof exported, ...args: unknown[]): Promise<unknown> => temporal.run(workflows[type]!, args);
const inputs = (name: string): Input[] => calls.filter(([called]) => called === name).map(([, input]) => input);
/** Activities in order, with their subject. */
const steps = (): string[] =>
  calls.map(([name, { listing, stream, chunk }]) =>
    [name, listing, stream, chunk].filter((part) => part !== undefined).join(' '),
  );
const END = ['readQuota', 'closeRun', 'loadLanding', 'buildModels', 'publishWarehouse'];
const chunksOf = (stream: string): string[] => [
  `planDue ${stream}`,
  `crawlChunk ${stream} 0`,
  `crawlChunk ${stream} 1`,
];

/** Answers `planDue` with new records for this number of full chunks. */
const planned =
  (chunks: number) =>
  ({ stream }: Input): object => {
    const due = 5 * chunks;
    return { stream, chunkSize: 5, known: due, due, reasons: { new: due }, chunks };
  };

describe('chunks of several workers', () => {
  /** The most chunks in progress at the same time, for each number of workers that the last result reported. */
  const mostAtOnce = new Map<number, number>();
  let workers = 1;
  let inProgress = 0;
  const countedBy = (now: (chunk: number) => number) => async (input: Input) => {
    const known = workers;
    mostAtOnce.set(known, Math.max(mostAtOnce.get(known) ?? 0, ++inProgress));
    for (let i = 0; i < 50; i++) await Promise.resolve();
    inProgress--;
    workers = now(input.chunk ?? 0);
    return { rows: 5, requests: 5, failed: 0, limited: false, workers };
  };
  const fetched = () =>
    calls.filter(([name]) => name.includes('crawlChunk')).map(([name, { chunk }]) => [name, chunk] as const);

  beforeEach(() => {
    mostAtOnce.clear();
    workers = 1;
    answers['planDue'] = planned(40);
  });

  it('are two for each worker, in the queue of chunks', async () => {
    workers = 3;
    answers['openRun'] = () => ({ ...CTX, streams: ['companies'], workers });
    answers['crawlChunk'] = countedBy(() => 3);
    await run('marketSnapshot', {});
    expect(fetched()).toEqual(Array.from({ length: 40 }, (_, chunk) => ['spread crawlChunk', chunk]));
    expect([...mostAtOnce]).toEqual([[3, 6]]);
  });

  it('follow the workers that join and leave', async () => {
    answers['openRun'] = () => ({ ...CTX, streams: ['companies'], workers });
    answers['crawlChunk'] = countedBy((chunk) => (chunk < 9 ? 1 : chunk < 30 ? 3 : 2));
    await run('marketSnapshot', {});
    expect(fetched().map(([, chunk]) => chunk)).toEqual(Array.from({ length: 40 }, (_, chunk) => chunk));
    expect(fetched().filter(([name]) => name === 'crawlChunk').length).toBe(10);
    expect([mostAtOnce.get(1), mostAtOnce.get(3)]).toEqual([2, 6]);
    expect(mostAtOnce.get(2)).toBeGreaterThanOrEqual(4);
    expect(inputs('spread crawlChunk').at(-1)).toMatchObject({ chunk: 39 });
  });
});

describe('loads beside the crawl', () => {
  const early = (): number => calls.filter(([name]) => name === 'loadEarly').length;

  beforeEach(() => {
    answers['openRun'] = () => ({ ...CTX, streams: ['companies', 'financials'] });
    answers['planDue'] = ({ stream }) => ({ ...planned(5)({ stream } as Input), drafted: stream === 'financials' });
    answers['loadEarly'] = () => ({ parts: 1, rows: 1, rejects: 0 });
  });

  it('do not start while few rows wait', async () => {
    await run('marketSnapshot', {});
    expect(early()).toBe(0);
  });

  it('start when 20,000 rows wait, and between streams with fewer rows', async () => {
    answers['planDue'] = ({ stream }) => ({
      ...planned(5)({ stream } as Input),
      due: 30_000,
      chunkSize: 6_000,
      drafted: stream === 'financials',
    });
    answers['crawlChunk'] = () => ({ rows: 6_000, requests: 5, failed: 0, limited: false, workers: 1 });
    await run('marketSnapshot', {});
    const order = steps();
    // Of each stream, four chunks have 24,000 rows. The 6,000 of the companies' last chunk wait until the reports begin.
    expect(early()).toBe(3);
    expect(order.indexOf('loadEarly')).toBeGreaterThan(order.indexOf('crawlChunk companies 3'));
    expect(order.lastIndexOf('loadLanding')).toBeGreaterThan(order.lastIndexOf('loadEarly'));
  });

  it('start when a quarter of the rows that wait is still missing in the stream', async () => {
    answers['openRun'] = () => ({ ...CTX, streams: ['companies'] });
    answers['planDue'] = ({ stream }) => ({ ...planned(10)({ stream } as Input), due: 5_000, chunkSize: 500 });
    answers['crawlChunk'] = () => ({ rows: 500, requests: 500, failed: 0, limited: false, workers: 1 });
    await run('marketSnapshot', {});
    const order = steps();
    expect(early()).toBe(1);
    expect(order.slice(0, order.indexOf('loadEarly')).filter((step) => step.startsWith('crawlChunk'))).toHaveLength(8);
  });

  it('run one at a time, and end before the last load', async () => {
    let inProgress = 0;
    let release: () => void = () => undefined;
    answers['crawlChunk'] = () => ({ rows: 20_000, requests: 5, failed: 0, limited: false, workers: 1 });
    answers['loadEarly'] = async () => {
      expect(++inProgress).toBe(1);
      await new Promise<void>((resolve) => (release = resolve));
      inProgress--;
      return { parts: 1, rows: 1, rejects: 0 };
    };
    answers['closeRun'] = () => {
      setTimeout(() => release(), 10);
      return { requests: 99, rows: 77, forecast: 80, drift: null };
    };
    answers['loadLanding'] = () => {
      expect(inProgress).toBe(0);
      return { parts: 4, rows: 10, rejects: 6 };
    };
    expect(await run('marketSnapshot', {})).toMatchObject({ outcome: 'complete' });
    expect(early()).toBe(1);
  });

  it('may fail, because the last load reads what they left', async () => {
    answers['crawlChunk'] = () => ({ rows: 20_000, requests: 5, failed: 0, limited: false, workers: 1 });
    answers['loadEarly'] = () => {
      throw new Error('the warehouse is in use');
    };
    expect(await run('marketSnapshot', {})).toMatchObject({ outcome: 'complete', notes: [] });
  });

  it('report what they found, also after the run continued as new', async () => {
    answers['crawlChunk'] = () => ({ rows: 20_000, requests: 5, failed: 0, limited: false, workers: 1 });
    let loads = 0;
    answers['loadEarly'] = () => ({ parts: 1, rows: 1, rejects: 0, ...(loads++ === 0 ? { gone: 'one is gone' } : {}) });
    temporal.eventsPerActivity = 300;
    const result = (await run('marketSnapshot', {})) as { notes: string[] };
    expect(temporal.carried.length).toBeGreaterThan(0);
    expect(result.notes).toEqual(['one is gone']);
  });
});

describe('steps of each run', () => {
  const type = (workflowType: RunContext['workflowType'], more: Partial<RunContext> = {}): void => {
    answers['openRun'] = () => ({ ...CTX, workflowType, ...more });
  };

  it('marketSnapshot searches, then reads companies, then reports', async () => {
    type('marketSnapshot', { streams: ['financials_v1', 'financials', 'companies'] });
    const result = await run('marketSnapshot', { market: 'demo' });
    expect(steps()).toEqual([
      'openRun',
      'readQuota',
      'crawlListing nomenclatures',
      'discoverMarket',
      ...['companies', 'financials', 'financials_v1'].flatMap(chunksOf),
      'crawlListing contact_metrics',
      ...END,
    ]);
    expect(result).toEqual({
      run: 'r',
      date: '2026-11-20',
      market: 'demo',
      asOfNow: true,
      outcome: 'complete',
      incomplete: false,
      heldBack: null,
      requests: 99,
      forecast: 80,
      rows: 77,
      rejects: 6,
      coverage: COVERAGE,
      due: ['companies', 'financials', 'financials_v1'].map((stream) => ({
        stream,
        known: 9,
        due: 7,
        reasons: { new: 7 },
      })),
      refused: [],
      drift: [],
      why: [],
      published: 'market.duckdb',
      folder: FOLDER,
      notes: [],
    });
    expect(inputs('closeRun')).toEqual([
      {
        ctx: expect.anything() as unknown,
        outcome: 'complete',
        crawled: 'complete',
        note: null,
        heldBack: null,
        why: [],
        refused: [],
        landed: 38,
      },
    ]);
    expect(inputs('openRun')).toEqual([
      { workflowType: 'marketSnapshot', workflowId: 'w', run: 'r', input: { market: 'demo' } },
    ]);
    expect(calls[1]).toEqual(['readQuota', expect.objectContaining({ run: 'r' }), true]);
    expect(temporal.attributes).toEqual({ TidemarkDate: '2026-11-20', TidemarkMarket: 'demo' });
    expect(temporal.handlers.get('progress')?.()).toEqual({
      phase: 'done',
      outcome: 'complete',
      rejects: 6,
      date: '2026-11-20',
      market: 'demo',
      requests: 99,
      startedAt: CTX.startedAt,
      notes: [],
      fileHash: 'f',
      folder: FOLDER,
      steps: [
        { name: 'nomenclatures', done: 30, total: 30, state: 'done', workedMs: 0 },
        { name: 'search', done: 9, total: 9, state: 'done', workedMs: 0 },
        ...['companies', 'financials', 'financials v1'].map((name) => ({
          name,
          done: 7,
          total: 7,
          state: 'done',
          about: '7 new',
          workedMs: 0,
        })),
        { name: 'contact metrics', done: 30, total: 30, state: 'done', workedMs: 0 },
      ],
    });
    expect(temporal.handlers.get('coverage')?.()).toEqual(COVERAGE);
    expect(temporal.details.at(-1)).toMatch(/^\*\*complete\*\* · market `demo`/);
    expect(temporal.details.map((text) => /^\*\*(.*?)\*\*/.exec(text)?.[1])).toEqual(
      expect.arrayContaining(['crawling', 'loading', 'modelling', 'publishing', 'complete']) as string[],
    );
  });

  it('shows outcome, phase, coverage and rejects as the search attributes that the namespace has', async () => {
    const names = ['TidemarkOutcome', 'TidemarkPhase', 'TidemarkCoverage', 'TidemarkRejects'];
    type('marketSnapshot', { stateAttributes: names });
    answers['crawlListing'] = ({ listing }) => {
      expect(temporal.attributes).toMatchObject({ TidemarkOutcome: 'running', TidemarkPhase: 'crawling' });
      if (listing === 'nomenclatures') expect(temporal.attributes).not.toHaveProperty('TidemarkCoverage');
      return { rows: 3, requests: 1, entities: 30, limited: false, shortfall: null };
    };
    answers['crawlChunk'] = () => ({ rows: 1, requests: 1, failed: 1, limited: false, workers: 1 });
    answers['loadLanding'] = () => ({ parts: 1, rows: 1, rejects: 4 });
    await run('marketSnapshot', {});
    expect(temporal.attributes).toMatchObject({
      TidemarkOutcome: 'partial',
      TidemarkPhase: 'done',
      TidemarkCoverage: 1,
      TidemarkRejects: 4,
    });
    expect(temporal.details.at(-1)).toMatch(/^\*\*partial\*\*/);
  });

  it('shows a failed run with the phase in which it failed', async () => {
    type('marketSnapshot', { stateAttributes: ['TidemarkOutcome', 'TidemarkPhase'] });
    answers['loadLanding'] = () => {
      throw new Error('disk full');
    };
    await expect(run('marketSnapshot', {})).rejects.toThrow('disk full');
    expect(temporal.attributes).toMatchObject({ TidemarkOutcome: 'failed', TidemarkPhase: 'loading' });
    expect(temporal.attributes).not.toHaveProperty('TidemarkCoverage');
  });

  it('marketSnapshot of a past day reads its watch events and contact metrics', async () => {
    type('marketSnapshot', { asOfNow: false });
    await run('marketSnapshot', {});
    expect(steps()).toEqual([
      'openRun',
      'readQuota',
      'crawlListing watched_companies',
      ...chunksOf('watch_events'),
      'crawlListing contact_metrics',
      ...END,
    ]);
  });

  it('tenderSnapshot reads lists, then details', async () => {
    type('tenderSnapshot', { market: null });
    await run('tenderSnapshot', {});
    const lists = ['crawlListing nomenclatures', 'crawlListing tenders'];
    expect(steps()).toEqual(['openRun', 'readQuota', ...lists, ...chunksOf('tender_details'), ...END]);
    expect(temporal.attributes).toEqual({ TidemarkDate: '2026-11-20' });
  });

  it('watchSync reads watched companies, then their events', async () => {
    type('watchSync');
    await run('watchSync', {});
    expect(steps()).toEqual([
      'openRun',
      'readQuota',
      'crawlListing watched_companies',
      ...chunksOf('watch_events'),
      ...END,
    ]);
  });

  it('resolveCompanies reads matches', async () => {
    type('resolveCompanies', { streams: ['matches'] });
    await run('resolveCompanies', { file: 'a.csv' });
    expect(steps()).toEqual(['openRun', 'readQuota', ...chunksOf('matches'), ...END]);
  });

  it('checkPayees reads checks one at a time, then their reports', async () => {
    type('checkPayees', { streams: ['payee_checks', 'payee_reports'] });
    await run('checkPayees', { file: 'a.csv' });
    expect(steps()).toEqual([
      'openRun',
      'readQuota',
      ...chunksOf('payee_checks'),
      ...chunksOf('payee_reports'),
      ...END,
    ]);
  });

  it('backfill reads the given streams, lists before details', async () => {
    type('backfill', { streams: ['financials_v1', 'financials', 'watch_events', 'tenders'] });
    await run('backfill', {});
    expect(steps()).toEqual([
      'openRun',
      'readQuota',
      'crawlListing nomenclatures',
      'crawlListing tenders',
      'crawlListing watched_companies',
      ...['tender_details', 'watch_events', 'financials', 'financials_v1'].flatMap(chunksOf),
      ...END,
    ]);
  });

  it.each([
    ['tenders', ['crawlListing nomenclatures', 'crawlListing tenders', ...chunksOf('tender_details')]],
    ['watch_events', ['crawlListing watched_companies', ...chunksOf('watch_events')]],
    ['contact_metrics', ['crawlListing contact_metrics']],
    ['financials', chunksOf('financials')],
    ['financials_v1', chunksOf('financials_v1')],
  ])('backfill reads %s alone', async (stream, expected) => {
    type('backfill', { streams: [stream] });
    await run('backfill', {});
    expect(steps()).toEqual(['openRun', 'readQuota', ...expected, ...END]);
  });

  it('retryRejects reads the given streams', async () => {
    type('retryRejects');
    await run('retryRejects', {});
    expect(steps()).toEqual(['openRun', 'readQuota', ...chunksOf('companies'), ...chunksOf('financials'), ...END]);
  });

  it('retryRejects closes without loading when nothing is due', async () => {
    type('retryRejects');
    answers['planDue'] = ({ stream }) => ({
      stream,
      chunkSize: 5,
      known: 0,
      due: 0,
      reasons: {},
      chunks: 0,
      idle: true,
    });
    expect(await run('retryRejects', {})).toMatchObject({
      outcome: 'complete',
      incomplete: false,
      published: null,
      requests: 99,
      rows: 77,
      rejects: 0,
      folder: FOLDER,
      notes: [expect.stringMatching(/^Nothing to retry/)],
    });
    expect(steps()).toEqual(['openRun', 'readQuota', 'planDue companies', 'planDue financials', 'closeRun']);
    expect(inputs('closeRun')).toEqual([
      expect.objectContaining({
        outcome: 'complete',
        heldBack: null,
        note: expect.stringMatching(/^Nothing to retry/) as string,
      }),
    ]);
    expect(temporal.handlers.get('progress')?.()).toMatchObject({ phase: 'done', requests: 99 });
  });

  it('retryRejects loads and publishes when one stream has records due', async () => {
    type('retryRejects');
    const { planDue } = answers;
    answers['planDue'] = (input) =>
      input.stream === 'companies'
        ? { stream: 'companies', known: 0, due: 0, reasons: {}, chunks: 0, idle: true }
        : planDue?.(input);
    expect(await run('retryRejects', {})).toMatchObject({ published: 'market.duckdb' });
  });

  it("takes the scheduled time from the schedule's search attribute", async () => {
    temporal.info = { typedSearchAttributes: { get: () => new Date('2026-11-20T02:00:00Z') } };
    await run('watchSync', {});
    expect(inputs('openRun')).toMatchObject([{ scheduledTime: '2026-11-20T02:00:00.000Z' }]);
  });
});

describe('a search', () => {
  it('searches in rounds until done and notes what is missing', async () => {
    answers['discoverMarket'] = ({ round }) => ({
      ...FOUND,
      done: round === 2,
      coverage: round === 2 ? { ...COVERAGE, missing: 2 } : null,
      causes:
        round === 2 ? [{ code: 'unlisted', values: {}, missing: 2, searches: 1, reason: 'a segment is short' }] : [],
    });
    expect(await run('marketSnapshot', {})).toMatchObject({
      outcome: 'partial',
      incomplete: true,
      notes: ['a segment is short'],
    });
    expect(inputs('discoverMarket')).toMatchObject(
      [0, 1, 2].map((round) => ({ round, budget: 500, concurrency: null })),
    );
    expect(inputs('closeRun')).toMatchObject([
      { outcome: 'partial', note: 'a segment is short', landed: 3 + 6 + 20 + 3 },
    ]);
  });

  it('limits a search to the quota left', async () => {
    answers['openRun'] = () => ({ ...CTX, leavesQuota: 0.1 });
    answers['readQuota'] = () => ({ ...ROOM, total: 1_000, used: 700 });
    await run('marketSnapshot', {});
    expect(inputs('discoverMarket')).toMatchObject([{ budget: 200 }]);
  });

  it('fails the run when the API refuses the search, and files the reason', async () => {
    answers['discoverMarket'] = () => ({ ...FOUND, refused: REFUSAL });
    await expect(run('marketSnapshot', {})).rejects.toMatchObject({
      type: 'PermissionDenied',
      nonRetryable: true,
      message: expect.stringMatching(/this API key lacks the permission "Search"/) as string,
    });
    expect(inputs('closeRun')).toMatchObject([
      {
        outcome: 'failed',
        crawled: null,
        heldBack: null,
        refused: [REFUSAL],
        note: expect.stringMatching(/lacks/) as string,
      },
    ]);
    expect(steps()).not.toContain('loadLanding');
  });
});

describe('a listing', () => {
  it('continues a limited listing once the quota gate opens', async () => {
    let limited = true;
    answers['crawlListing'] = () => ({ rows: limited ? 0 : 3, requests: 1, entities: 30, limited, shortfall: null });
    answers['enterQuotaGate'] = () => {
      limited = false;
      setImmediate(() => temporal.send('quotaOpened'));
    };
    await run('watchSync', {});
    expect(inputs('enterQuotaGate')).toEqual([
      {
        waiter: { ctx: expect.objectContaining({ run: 'r' }) as unknown, priority: 1 },
        workflowType: 'quotaGate',
        taskQueue: 'tidemark-crawl',
        signal: 'enterQuotaGate',
      },
    ]);
    expect(steps().filter((step) => step === 'crawlListing watched_companies')).toHaveLength(2);
    expect(temporal.details.some((text) => text.startsWith('**waiting for quota**'))).toBe(true);
  });

  it('marks a run partial for a short or refused listing, except lookup lists', async () => {
    const shortfall = ({ listing }: Input): object => ({
      rows: 3,
      requests: 1,
      entities: 30,
      limited: false,
      shortfall: `${listing} is short`,
      refused: [{ ...REFUSAL, stream: listing }],
    });
    answers['crawlListing'] = shortfall;
    expect(await run('marketSnapshot', {})).toMatchObject({
      outcome: 'complete',
      notes: ['nomenclatures is short', 'contact_metrics is short'],
    });
    expect(await run('watchSync', {})).toMatchObject({
      outcome: 'partial',
      notes: [expect.stringMatching(/^watched companies: this API key lacks/), 'watched_companies is short'],
    });
  });
});

describe('the start of a run', () => {
  it('waits at the quota gate when no quota is left', async () => {
    answers['readQuota'] = () => ({ ...ROOM, used: 100 });
    answers['enterQuotaGate'] = () => setImmediate(() => temporal.send('quotaOpened')) && undefined;
    await run('watchSync', {});
    expect(steps().slice(0, 4)).toEqual(['openRun', 'readQuota', 'enterQuotaGate', 'crawlListing watched_companies']);
  });

  it('sends one alert after an hour at the quota gate, however often the run waits', async () => {
    answers['openRun'] = () => ({ ...CTX, alerts: { causes: ['quota'] } });
    answers['readQuota'] = () => ({ ...ROOM, used: 100 });
    answers['enterQuotaGate'] = () => setImmediate(() => temporal.send('quotaOpened')) && undefined;
    let limited = true;
    answers['crawlListing'] = () => {
      const answer = { rows: 3, requests: 1, entities: 30, limited, shortfall: null };
      limited = false;
      return answer;
    };
    await run('watchSync', {});
    expect(steps().filter((step) => step === 'enterQuotaGate')).toHaveLength(2);
    expect(temporal.timers).toEqual([3_600]);
    expect(temporal.started).toEqual([expect.stringMatching(/\/quota\/wait$/)]);
  });

  it('notes edited settings, clock difference and quota errors', async () => {
    answers['openRun'] = () => ({ ...CTX, note: 'edited' });
    answers['readQuota'] = () => ({ ...ROOM, known: false, clock: '2 s ahead', fault: 'no answer' });
    expect(await run('watchSync', {})).toMatchObject({ notes: ['edited', 'no answer', '2 s ahead'] });
    expect(inputs('closeRun')).toMatchObject([{ note: 'edited no answer 2 s ahead' }]);
  });

  it('rejects a second argument, which only continue-as-new may pass', async () => {
    await expect(run('watchSync', {}, {})).rejects.toMatchObject({
      type: 'InvalidInput',
      nonRetryable: true,
    });
    expect(calls).toEqual([]);
  });
});

describe('the end of a run', () => {
  it('reports the notes of all closing steps', async () => {
    Object.assign(answers, {
      closeRun: () => ({ requests: 1, rows: 1, forecast: null, drift: 'another user of the key' }),
      loadLanding: () => ({ parts: 1, rows: 1, rejects: 0, gone: 'two parts are gone', driftFault: 'odd JSON' }),
      buildModels: () => ({
        ...MODELS,
        failedAudits: ['unique'],
        notes: ['slow'],
        drift: ['a new field'],
      }),
      publishWarehouse: () => ({ file: 'f', tables: 1, rows: 1, notes: ['kept an old build'] }),
    });
    expect(await run('watchSync', {})).toMatchObject({
      outcome: 'complete',
      drift: ['a new field'],
      notes: [
        'another user of the key',
        'two parts are gone',
        'Some answers could not be checked for schema drift: odd JSON',
        'Audit failed: unique',
        'slow',
        'kept an old build',
      ],
    });
  });

  it('marks a run partial if the warehouse holds fewer companies than found', async () => {
    const coverage = { distinctCompanies: 8, missing: 1, share: 0.9 };
    answers['buildModels'] = () => ({
      ...MODELS,
      unloaded: { coverage, reason: 'One is missing.', counted: 9, loaded: 8 },
    });
    expect(await run('marketSnapshot', {})).toMatchObject({
      outcome: 'partial',
      incomplete: true,
      coverage: { ...COVERAGE, ...coverage },
      why: [{ code: 'unloaded', values: { counted: 9, loaded: 8 }, reason: 'One is missing.' }],
      notes: ['One is missing.'],
    });
  });

  it('holds back a night below the publish thresholds and says why', async () => {
    answers['openRun'] = () => ({ ...CTX, gate: { minCoverage: 0.99, maxDrop: 0.1, current: null } });
    answers['discoverMarket'] = () => ({
      ...FOUND,
      coverage: { ...COVERAGE, missing: 5, distinctCompanies: 4, share: 0.44 },
    });
    const result = (await run('marketSnapshot', {})) as { heldBack: string; notes: string[] };
    expect(result.heldBack).toBeTypeOf('string');
    expect(result.notes).toContain(result.heldBack);
    expect(inputs('closeRun')).toMatchObject([{ outcome: 'partial', heldBack: result.heldBack }]);
  });

  it('files a failure after the record of the crawl', async () => {
    answers['publishWarehouse'] = () => {
      throw ApplicationFailure.nonRetryable('disk full', 'DiskFull');
    };
    await expect(run('watchSync', {})).rejects.toThrow('disk full');
    expect(inputs('closeRun')).toMatchObject([
      { outcome: 'complete' },
      { outcome: 'failed', crawled: 'complete', heldBack: null, note: 'disk full' },
    ]);
  });

  it('reports the cause of a failure even if it cannot be filed', async () => {
    answers['loadLanding'] = () => {
      throw new Error('activity failed', { cause: new Error('corrupt part') });
    };
    let closed = 0;
    answers['closeRun'] = () => {
      if (closed++ > 0) throw new Error('no disk');
      return { requests: 1, rows: 1, forecast: null };
    };
    await expect(run('watchSync', {})).rejects.toThrow('activity failed');
    expect(inputs('closeRun').at(-1)).toMatchObject({ outcome: 'failed', note: 'corrupt part' });
  });

  it('files a cancelled run as cancelled, not failed', async () => {
    answers['crawlListing'] = () => {
      throw new CancelledFailure('cancelled');
    };
    await expect(run('watchSync', {})).rejects.toBeInstanceOf(CancelledFailure);
    expect(inputs('closeRun')).toMatchObject([{ outcome: 'cancelled', crawled: null }]);
  });
});

describe('an operator', () => {
  it('publishes what a stopped run fetched', async () => {
    answers['crawlListing'] = () => {
      temporal.send('stop');
      return { rows: 3, requests: 1, entities: 30, limited: false, shortfall: null };
    };
    expect(await run('watchSync', {})).toMatchObject({
      outcome: 'stopped',
      published: 'market.duckdb',
      notes: [expect.stringMatching(/^An operator stopped the run/)],
    });
    expect(temporal.details.some((text) => text.startsWith('**stopping**'))).toBe(true);
    expect(steps()).not.toContain('crawlChunk watch_events 0');
  });

  it('pauses and resumes a run between chunks', async () => {
    answers['crawlListing'] = () => {
      temporal.send('pause');
      setImmediate(() => temporal.send('resume'));
      return { rows: 3, requests: 1, entities: 30, limited: false, shortfall: null };
    };
    expect(await run('watchSync', {})).toMatchObject({ outcome: 'complete' });
    const phases = temporal.details.map((text) => /^\*\*(.*?)\*\*/.exec(text)?.[1] ?? '');
    expect(phases.lastIndexOf('crawling')).toBeGreaterThan(phases.indexOf('paused'));
    expect(phases).toContain('paused');
  });

  it('divides the set concurrency among chunks', async () => {
    answers['crawlListing'] = () => {
      temporal.send('setConcurrency', 3);
      return { rows: 3, requests: 1, entities: 30, limited: false, shortfall: null };
    };
    await run('watchSync', {});
    const flight = inputs('crawlChunk').map(({ concurrency }) => concurrency as number);
    expect(flight.reduce((sum, each) => sum + each, 0)).toBe(3);
  });
});

describe('a chunk', () => {
  const resolving = () => ({ ...CTX, workflowType: 'resolveCompanies' as const, streams: ['matches' as const] });

  it('continues a limited chunk after the quota gate and counts it once', async () => {
    answers['openRun'] = resolving;
    let limited = true;
    answers['crawlChunk'] = ({ chunk }) => ({
      rows: 2,
      requests: 2,
      failed: 0,
      limited: limited && chunk === 0,
      workers: 1,
    });
    answers['enterQuotaGate'] = () => {
      limited = false;
      setImmediate(() => temporal.send('quotaOpened'));
    };
    await run('resolveCompanies', {});
    expect(inputs('crawlChunk').map(({ chunk }) => chunk)).toEqual([0, 1, 0]);
    expect(inputs('closeRun')).toMatchObject([{ landed: 4 }]);
    expect(temporal.handlers.get('progress')?.()).toMatchObject({ steps: [{ name: 'matches', done: 7, total: 7 }] });
  });

  it('starts the next chunk while an earlier one is in progress', async () => {
    answers['openRun'] = resolving;
    answers['planDue'] = planned(4);
    let endFirst = (): void => undefined;
    const first = new Promise<void>((resolve) => (endFirst = resolve));
    answers['crawlChunk'] = async ({ chunk }) => {
      if (chunk === 0) await first;
      if (chunk === 3) endFirst();
      return { rows: 5, requests: 5, failed: 0, limited: false, workers: 1 };
    };
    expect(await run('resolveCompanies', {})).toMatchObject({ outcome: 'complete' });
    expect(inputs('crawlChunk').map(({ chunk }) => chunk)).toEqual([0, 1, 2, 3]);
  });

  it('never lets two chunks send more requests than the quota left', async () => {
    answers['openRun'] = () => ({ ...resolving(), leavesQuota: 0.1 });
    answers['planDue'] = planned(8);
    let used = 0;
    answers['readQuota'] = () => ({ ...ROOM, used });
    const open = new Map<number, number>();
    answers['crawlChunk'] = async ({ chunk = 0, budget }) => {
      open.set(chunk, budget as number);
      expect([...open.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(90 - used);
      for (let turn = 0; turn < (chunk % 3) * 4; turn++) await Promise.resolve();
      used += 5;
      open.delete(chunk);
      return { rows: 5, requests: 5, failed: 0, limited: false, workers: 1 };
    };
    expect(await run('resolveCompanies', {})).toMatchObject({ outcome: 'complete' });
    expect(inputs('crawlChunk')).toHaveLength(8);
  });

  it('waits for the chunks in progress before a pause', async () => {
    answers['openRun'] = resolving;
    answers['planDue'] = planned(4);
    const ended: number[] = [];
    answers['crawlChunk'] = async ({ chunk = 0 }) => {
      if (chunk === 0) {
        temporal.send('pause');
        setImmediate(() => {
          expect(ended).toEqual([0, 1]);
          temporal.send('resume');
        });
      }
      await Promise.resolve();
      ended.push(chunk);
      return { rows: 5, requests: 5, failed: 0, limited: false, workers: 1 };
    };
    expect(await run('resolveCompanies', {})).toMatchObject({ outcome: 'complete' });
    expect(ended).toEqual([0, 1, 2, 3]);
  });

  it('marks a run partial for failed records', async () => {
    answers['openRun'] = resolving;
    answers['crawlChunk'] = () => ({ rows: 2, requests: 2, failed: 1, limited: false, workers: 1 });
    expect(await run('resolveCompanies', {})).toMatchObject({
      outcome: 'partial',
      notes: [expect.stringMatching(/^2 questions could not be fetched/)],
    });
  });

  it('fails the run after the other chunks have ended when one fails', async () => {
    const ended: number[] = [];
    answers['crawlChunk'] = async ({ chunk = 0 }) => {
      if (chunk === 0) throw ApplicationFailure.nonRetryable('disk full', 'DiskFull');
      await Promise.resolve();
      ended.push(chunk);
      return { rows: 5, requests: 5, failed: 0, limited: false, workers: 1 };
    };
    await expect(run('resolveCompanies', {})).rejects.toThrow('disk full');
    expect(ended).toEqual([1]);
    expect(inputs('closeRun')).toMatchObject([{ outcome: 'failed', note: 'disk full' }]);
  });

  it('names each refused route of a stream', async () => {
    const endpoints = ['GET /v2/financial/{id}', 'GET /v1/reports/{id}'];
    const refused = (stream: unknown) => endpoints.map((endpoint) => ({ ...REFUSAL, stream, endpoint }));
    answers['crawlChunk'] = ({ stream }) => ({
      rows: 5,
      requests: 5,
      failed: 0,
      limited: false,
      workers: 1,
      refused: refused(stream),
    });
    expect(await run('retryRejects', {})).toMatchObject({
      refused: [...refused('companies'), ...refused('financials')],
    });
  });

  it('ends a refused stream early and continues with others', async () => {
    answers['crawlChunk'] = ({ stream }) =>
      stream === 'companies'
        ? {
            rows: 0,
            requests: 1,
            failed: 0,
            limited: false,
            workers: 1,
            closed: { sure: true },
            refused: [{ ...REFUSAL, stream }],
          }
        : { rows: 5, requests: 5, failed: 0, limited: false, workers: 1 };
    answers['planDue'] = planned(18);
    const result = await run('retryRejects', {});
    expect(result).toMatchObject({ outcome: 'partial', refused: [{ stream: 'companies' }] });
    expect(inputs('crawlChunk').filter(({ stream }) => stream === 'companies').length).toBeLessThan(18);
    expect(inputs('crawlChunk').filter(({ stream }) => stream === 'financials')).toHaveLength(18);
  });
});

describe('rebuildWarehouse', () => {
  it('passes on the input and reports unreadable parts', async () => {
    answers['listStateAttributes'] = () => ['TidemarkOutcome', 'TidemarkPhase', 'TidemarkRejects'];
    const made = {
      parts: 4,
      rows: 10,
      rejects: 2,
      faults: ['part-x.json'],
      published: 'market.duckdb',
      folder: FOLDER,
    };
    answers['rebuildWarehouse'] = () => {
      expect(temporal.attributes).toEqual({ TidemarkOutcome: 'running', TidemarkPhase: 'loading' });
      return made;
    };
    expect(await run('rebuildWarehouse', { from: '2026-11-01' })).toEqual(made);
    expect(calls.at(-1)).toEqual(['rebuildWarehouse', { from: '2026-11-01' }, {}]);
    expect(temporal.attributes).toEqual({ TidemarkOutcome: 'partial', TidemarkPhase: 'done', TidemarkRejects: 2 });
    expect(temporal.handlers.get('progress')?.()).toEqual({
      phase: 'done',
      outcome: 'partial',
      rejects: 2,
      date: null,
      market: null,
      steps: [],
      requests: 0,
      startedAt: null,
      notes: ['Unreadable: part-x.json'],
      folder: FOLDER,
    });
    expect(temporal.details).toEqual([
      expect.stringMatching(/^\*\*loading\*\*/),
      '**partial**: 10 rows of 4 parts, published as `market.duckdb`',
    ]);
  });

  it('shows that it failed', async () => {
    answers['listStateAttributes'] = () => ['TidemarkOutcome', 'TidemarkPhase'];
    answers['rebuildWarehouse'] = () => {
      throw new Error('disk full');
    };
    await expect(run('rebuildWarehouse', {})).rejects.toThrow('disk full');
    expect(temporal.attributes).toEqual({ TidemarkOutcome: 'failed', TidemarkPhase: 'loading' });
  });
});
