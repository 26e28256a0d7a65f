import { readdirSync, readFileSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DueEntity } from '../../../../schemas/pipeline/due.js';
import { readManifests } from '../../../../src/landing/index.js';
import { chunkFile, dueDir } from '../../../../src/store/data-folder.js';
import { chunkSizeFor, planDue, type DueRequest } from '../../../../src/warehouse/due/plan-due.js';
import { land, marketNight, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const NOW = new Date('2026-11-20T04:00:00Z');
const base: DueRequest = {
  run: 'now',
  market: 'm',
  stream: 'companies',
  refreshSeconds: 86_400,
  now: NOW,
  chunkSize: 100,
};

/** Lands answers and plans; returns the counts and the ids of all chunks. */
async function plan(answers: Answer[], request: Partial<DueRequest> = {}) {
  const dataDir = temporaryDataDir();
  await land(dataDir, answers);
  const asked = { ...base, ...request };
  const counts = await planDue(await openTestWarehouse(dataDir), new Data(dataDir), asked);
  const folder = dueDir(dataDir, asked.run, asked.stream);
  const chunks = Array.from(
    { length: counts.chunks },
    (_, chunk) => JSON.parse(readFileSync(chunkFile(folder, chunk), 'utf8')) as DueEntity[],
  );
  const due = chunks.flat();
  return {
    ...counts,
    chunks: chunks.length,
    ids: due.map(({ id }) => id),
    why: due.map(({ id, reason }) => `${reason} ${id}`),
    files: readdirSync(folder).toSorted(),
  };
}

const sighted = (ids: number[], run = 'now') =>
  marketNight({ run, date: '2026-11-20', ids }).filter((answer) => answer.stream === 'prospecting');
const answered = (id: number, at: string, rest: Partial<Answer> = {}): Answer => ({
  stream: 'companies',
  entity: String(id),
  at,
  body: { id, name: `Company ${id}` },
  ...rest,
});

describe('the size of a chunk', () => {
  const size = fc.integer({ min: 1, max: 1_000 });
  const due = fc.nat(1_000_000);

  test('is the usual one for a single worker, and for many entities', () => {
    fc.assert(
      fc.property(due, size, (entities, chunkSize) => {
        expect(chunkSizeFor(entities, { chunkSize })).toBe(chunkSize);
        expect(chunkSizeFor(entities, { chunkSize, workers: 1 })).toBe(chunkSize);
        expect(chunkSizeFor(1_000_000, { chunkSize, workers: 3 })).toBe(chunkSize);
      }),
    );
  });

  test('gives each of several workers many chunks, with enough entities', () => {
    fc.assert(
      fc.property(due, size, fc.integer({ min: 2, max: 40 }), (entities, chunkSize, workers) => {
        const chosen = chunkSizeFor(entities, { chunkSize, workers });
        expect(chosen).toBeLessThanOrEqual(chunkSize);
        expect(chosen).toBeGreaterThanOrEqual(Math.min(chunkSize, 100));
        if (chosen > 100) expect(Math.ceil(entities / (chosen - 1))).toBeGreaterThanOrEqual(32 * workers);
      }),
    );
  });
});

describe('planDue', () => {
  test('plans each entity once in smaller chunks for several workers', async () => {
    const ids = Array.from({ length: 250 }, (_, i) => i + 1);
    const planned = await plan(sighted(ids), { chunkSize: 500, workers: 2 });
    expect(planned).toMatchObject({ due: 250, chunks: 3 });
    expect(planned.ids.toSorted()).toEqual(ids.map(String).toSorted());
  });

  test('plans companies without an answer, with a stale one, or with an event', async () => {
    const result = await plan([
      ...sighted([10, 9, 8, 7, 6, 5, 4]),
      ...sighted([1], 'another run'),
      answered(10, '2026-11-20T03:00:00Z'),
      answered(9, '2026-11-19T03:00:00Z'),
      answered(8, '2026-11-20T03:00:00Z', { status: 404, body: 'gone' }),
      answered(7, '2026-11-20T03:00:00Z', { status: 500, body: 'oops' }),
      answered(6, '2026-11-20T03:00:00Z', { body: 'no record' }),
      answered(5, '2026-11-20T01:00:00Z'),
      {
        stream: 'watch_events',
        entity: '5',
        body: { data: [{ event_type: 'company.name', date_created: '2026-11-20T02:00:00Z' }] },
      },
    ]);
    expect(result).toMatchObject({
      known: 7,
      due: 5,
      reasons: { new: 1, event: 1, failed: 2, stale: 1 },
      why: ['new 4', 'event 5', 'failed 6', 'failed 7', 'stale 9'],
    });
  });

  test('orders due companies by value, then by age and number', async () => {
    const result = await plan([
      ...sighted([11, 10, 9, 21, 22, 31, 41, 51, 61, 52, 60]),
      ...marketNight({ run: 'then', date: '2026-11-10', ids: [21, 22] }),
      answered(31, '2026-11-12T03:00:00Z'),
      {
        stream: 'watch_events',
        entity: '31',
        body: { data: [{ event_type: 'company.name', date_created: '2026-11-19T02:00:00Z' }] },
      },
      answered(41, '2026-11-12T03:00:00Z'),
      answered(41, '2026-11-19T03:00:00Z', { status: 503, body: 'down' }),
      answered(51, '2026-11-14T03:00:00Z'),
      answered(52, '2026-11-14T01:00:00Z'),
      answered(60, '2026-11-13T03:00:00Z'),
      answered(61, '2026-11-12T03:00:00Z'),
    ]);
    expect(result.why).toEqual([
      'new 9',
      'new 10',
      'new 11',
      'unfetched 21',
      'unfetched 22',
      'event 31',
      'failed 41',
      'stale 61',
      'stale 60',
      'stale 51',
      'stale 52',
    ]);
  });

  test('ignores events older than the answer or in the future', async () => {
    const event = (entity: string, at: string): Answer => ({
      stream: 'watch_events',
      entity,
      body: { data: [{ event_type: 'company.name', date_created: at }] },
    });
    const result = await plan([
      ...sighted([1, 2]),
      answered(1, '2026-11-20T03:00:00Z'),
      event('1', '2026-11-20T02:59:59Z'),
      answered(2, '2026-11-20T03:00:00Z'),
      event('2', '2027-01-01T00:00:00Z'),
    ]);
    expect(result).toMatchObject({ known: 2, due: 0, reasons: {} });
  });

  test('makes every known company due with a refresh of 0', async () => {
    const answers = [...sighted([1, 2]), answered(1, '2026-11-20T03:59:00Z'), answered(2, '2026-11-20T03:59:00Z')];
    expect(await plan(answers, { refreshSeconds: 0 })).toMatchObject({ known: 2, due: 2 });
    expect(await plan(answers)).toMatchObject({ known: 2, due: 0, chunks: 0, files: ['plan.json'] });
  });

  test('plans no reports of companies whose details are gone', async () => {
    const result = await plan(
      [
        ...sighted([1, 2, 3]),
        answered(1, '2026-11-20T03:00:00Z'),
        answered(2, '2026-11-20T03:00:00Z', { status: 404, body: 'gone' }),
        { stream: 'financials', entity: '3', at: '2026-11-20T03:00:00Z', body: {} },
      ],
      { stream: 'financials' },
    );
    expect(result).toMatchObject({ known: 2, due: 1, ids: ['1'] });
  });

  describe('changes seen by the search', () => {
    // Nights are at 02:10, details at 02:30.
    const page = (day: number, data: object[], request = 'POST /v2/prospecting {"filters":{},"page":1}'): Answer => ({
      stream: 'prospecting',
      run: `run-${day}`,
      date: `2026-11-${day}`,
      at: `2026-11-${day}T02:10:00Z`,
      request,
      body: { data },
    });
    const details = (day: number, record: { id: number; name?: string; status?: string }): Answer =>
      answered(record.id, `2026-11-${day}T02:30:00Z`, { body: record, run: `run-${day}`, date: `2026-11-${day}` });
    const tonight = { run: 'run-20', refreshSeconds: 30 * 86_400 };
    const why = async (answers: Answer[]) => (await plan(answers, tonight)).why;

    test('plans a company whose search name differs from its details', async () => {
      const answers = [
        page(18, [
          { id: 1, name: 'A' },
          { id: 2, name: 'B' },
        ]),
        details(18, { id: 1, name: 'A' }),
        details(18, { id: 2, name: 'B' }),
      ];
      const renamed = page(20, [
        { id: 1, name: 'A' },
        { id: 2, name: ' C ' },
      ]);
      expect(await why([...answers, renamed])).toEqual(['renamed 2']);
      expect(await why([...answers, page(19, [{ id: 2, name: 'C' }]), renamed])).toEqual(['renamed 2']);
    });

    test('plans a company that returns to an earlier name', async () => {
      const answers = [
        page(17, [{ id: 1, name: 'A' }]),
        details(17, { id: 1, name: 'A' }),
        page(18, [{ id: 1, name: 'B' }]),
        details(18, { id: 1, name: 'B' }),
        page(20, [{ id: 1, name: 'A' }]),
      ];
      expect(await why(answers)).toEqual(['renamed 1']);
    });

    test('ignores a name that search and details always spell differently', async () => {
      const answers = [
        page(18, [{ id: 1, name: 'ACME LTD' }]),
        details(18, { id: 1, name: 'Acme Ltd.' }),
        page(20, [{ id: 1, name: 'ACME LTD' }]),
      ];
      expect(await why(answers)).toEqual([]);
    });

    test('plans a company whose searched status differs from its details', async () => {
      const search = (status: number[]) =>
        `POST /v2/prospecting {"filters":{"company_status":[${status.join()}]},"page":1}#2`;
      const list: Answer = {
        stream: 'nomenclatures',
        entity: 'v1',
        body: {
          company_status: [
            { id: 199, name: 'Active' },
            { id: 200, name: 'Inactive' },
          ],
        },
      };
      const ids = [{ id: 1 }, { id: 2 }, { id: 3 }];
      const answers = [
        list,
        page(18, ids, search([199])),
        details(18, { id: 1, status: 'Active' }),
        details(18, { id: 2, status: 'ACTIVE' }),
        details(18, { id: 3, status: 'In liquidation' }),
      ];
      expect(await why([...answers, page(20, ids, search([200]))])).toEqual(['status 1', 'status 2']);
      expect(await why([...answers, page(20, ids, search([199]))])).toEqual([]);
      expect(await why([...answers, page(20, ids, search([199, 200]))])).toEqual([]);
    });

    test('plans a company that returns to the market, even if it was gone', async () => {
      const night = (day: number, ids: number[], missing = 0) =>
        marketNight({ run: `run-${day}`, date: `2026-11-${day}`, ids, missing });
      const answers = [
        ...night(17, [1, 2, 3, 4]),
        ...[1, 2, 3].map((id) => details(17, { id })),
        answered(4, '2026-11-17T02:30:00Z', { status: 404, body: 'gone' }),
        answered(5, '2026-11-17T02:30:00Z', { status: 404, body: 'gone' }),
      ];
      const listed = page(
        20,
        [1, 2, 3, 4].map((id) => ({ id })),
      );
      expect(await why([...answers, ...night(18, [1, 2]), listed])).toEqual(['entered 3', 'entered 4']);
      // The night of the 18th is incomplete, so it does not prove that companies 3 and 4 were absent.
      expect(await why([...answers, ...night(18, [1, 2], 1), listed])).toEqual([]);
      // Listed every night and still gone: not requested again.
      expect(await why([...answers, ...night(18, [1, 2, 3, 4]), listed])).toEqual([]);
      // Requested once since its absence, which is enough.
      const asked = answered(4, '2026-11-19T02:30:00Z', { status: 404, body: 'gone' });
      expect(await why([...answers, ...night(18, [1, 2]), asked, listed])).toEqual(['entered 3']);
    });

    test('plans a company that left the market once, if the search found the whole market', async () => {
      const [record] = marketNight({ run: 'run-20', date: '2026-11-20', ids: [], finished: false });
      const began = (filters: object = {}): Answer => ({ ...record!, body: { ...(record!.body as object), filters } });
      const answers = [
        ...marketNight({ run: 'run-18', date: '2026-11-18', ids: [1, 2, 3, 4] }),
        ...[1, 2, 3].map((id) => details(18, { id })),
        page(20, [{ id: 1 }]),
      ];
      const whole = { ...tonight, wholeMarket: true };
      const plans = async (more: Answer[], request: Partial<DueRequest> = whole) =>
        (await plan([...answers, ...more], request)).why;
      expect(await plans([began()])).toEqual(['left 2', 'left 3']);
      expect(await plans([began()], tonight)).toEqual([]);
      expect(await plans([began({ country: ['XX'] })])).toEqual([]);
      expect(await plans([began()], { ...whole, stream: 'financials' })).toEqual(['unfetched 1']);
      const asked = answered(3, '2026-11-19T02:30:00Z', { status: 404, body: 'gone' });
      expect(await plans([began(), asked])).toEqual(['left 2']);
    });

    test('plans reports for a returned company, but not for a new name', async () => {
      const report = (id: number): Answer => ({
        stream: 'financials',
        entity: String(id),
        at: '2026-11-17T02:40:00Z',
        body: {},
      });
      const answers = [
        ...marketNight({ run: 'run-17', date: '2026-11-17', ids: [1, 2] }),
        ...[1, 2].flatMap((id) => [details(17, { id, name: `Company ${id}` }), report(id)]),
        ...marketNight({ run: 'run-18', date: '2026-11-18', ids: [1] }),
        page(20, [
          { id: 1, name: 'renamed' },
          { id: 2, name: 'Company 2' },
        ]),
      ];
      expect((await plan(answers, { ...tonight, stream: 'financials' })).why).toEqual(['entered 2']);
    });
  });

  test('plans the reports of each API version by its own answers', async () => {
    const answers: Answer[] = [
      ...sighted([1, 2, 3]),
      answered(3, '2026-11-20T03:00:00Z', { status: 404, body: 'gone' }),
      { stream: 'financials', entity: '1', at: '2026-11-20T03:00:00Z', body: {} },
      { stream: 'financials_v1', entity: '2', at: '2026-11-20T03:00:00Z', body: { reports: [] } },
    ];
    expect((await plan(answers, { stream: 'financials' })).why).toEqual(['new 2']);
    expect((await plan(answers, { stream: 'financials_v1' })).why).toEqual(['new 1']);
  });

  test('splits due entities into chunks by size', async () => {
    const result = await plan(sighted([1, 2, 3, 4, 5]), { chunkSize: 2 });
    expect(result).toMatchObject({
      due: 5,
      chunks: 3,
      files: ['chunk-00000.json', 'chunk-00001.json', 'chunk-00002.json', 'plan.json'],
    });
  });

  test('keeps the plan of a run whatever lands later', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, sighted([1, 2]));
    const warehouse = await openTestWarehouse(dataDir);
    const first = await planDue(warehouse, new Data(dataDir), base);
    await land(dataDir, [answered(1, '2026-11-20T03:00:00Z')]);
    expect(await planDue(warehouse, new Data(dataDir), base)).toEqual(first);
    expect(JSON.parse(readFileSync(chunkFile(dueDir(dataDir, 'now', 'companies'), 0), 'utf8'))).toEqual([
      { id: '1', reason: 'new' },
      { id: '2', reason: 'new' },
    ]);
  });

  test('plans work by date for the members of the latest night', async () => {
    const answers = [
      ...marketNight({ run: 'n1', date: '2026-11-18', ids: [1, 2] }),
      ...marketNight({ run: 'n2', date: '2026-11-19', ids: [2, 3] }),
      ...marketNight({ run: 'k', date: '2026-11-19', ids: [4], market: 'k' }),
      ...marketNight({ run: 'open', date: '2026-11-20', ids: [5], finished: false }),
      ...marketNight({ run: 'half', date: '2026-11-20', ids: [2], heldBack: 'Held back' }),
    ];
    expect(await plan(answers, { known: 'members' })).toMatchObject({ ids: ['2', '3'] });
    expect(await plan(answers, { known: 'members', market: null })).toMatchObject({ ids: ['1', '2', '3', '4', '5'] });
    expect(await plan(answers, { known: 'members', market: 'unknown' })).toMatchObject({ known: 0, due: 0 });
  });

  test('plans tender details never read or listed differently since', async () => {
    const listed = (run: string, at: string, data: object[]): Answer => ({
      stream: 'tenders',
      run,
      at,
      body: { data },
    });
    const result = await plan(
      [
        listed('then', '2026-11-19T02:00:00Z', [
          { slug: 'same', title: 'A' },
          { slug: 'changed', title: 'A' },
          { slug: 'gone', title: 'A' },
          { slug: 'unlisted' },
        ]),
        ...['same', 'changed'].map((slug): Answer => ({
          stream: 'tender_details',
          entity: slug,
          at: '2026-11-19T02:05:00Z',
          body: { slug },
        })),
        { stream: 'tender_details', entity: 'gone', at: '2026-11-19T02:05:00Z', status: 404, body: 'x' },
        listed('now', '2026-11-20T02:00:00Z', [
          { slug: 'same', title: 'A' },
          { slug: 'changed', title: 'B' },
          { slug: 'gone', title: 'A' },
          { slug: 'new' },
        ]),
      ],
      { stream: 'tender_details', market: null },
    );
    expect(result).toMatchObject({ known: 4, due: 2, why: ['new new', 'changed changed'] });
  });

  test("plans watch events for every company of the run's listing", async () => {
    const result = await plan(
      [
        { stream: 'watched_companies', run: 'then', body: { data: [{ id: 1 }] } },
        { stream: 'watched_companies', run: 'now', body: { data: [{ id: 3 }, { id: '2' }] } },
      ],
      { stream: 'watch_events' },
    );
    expect(result).toMatchObject({ known: 2, due: 2, ids: ['2', '3'] });
  });

  test.each(['m', null])('plans no retry before the models were built (market %j)', async (market) => {
    const result = await plan([...sighted([1]), answered(1, '2026-11-20T03:00:00Z', { body: 'no record' })], {
      known: 'rejected',
      market,
    });
    expect(result).toEqual({ known: 0, due: 0, chunks: 0, reasons: {}, ids: [], why: [], files: ['plan.json'] });
  });

  test('plans despite a corrupt part', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, [...sighted([1]), answered(1, '2026-11-20T03:00:00Z')]);
    for (const part of readManifests(dataDir, { stream: 'companies' })) rmSync(part.file);
    expect(await planDue(await openTestWarehouse(dataDir), new Data(dataDir), base)).toMatchObject({
      known: 1,
      due: 1,
    });
  });
});
