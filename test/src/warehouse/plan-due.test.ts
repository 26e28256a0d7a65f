import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readManifests } from '../../../src/landing/index.js';
import { chunkFile, dueDir, planDue, type DueRequest } from '../../../src/warehouse/index.js';
import { land, marketNight, openTestWarehouse, temporaryDataDir, type Answer } from './helpers.js';

const NOW = new Date('2026-11-20T04:00:00Z');
const base: DueRequest = {
  run: 'now',
  market: 'm',
  stream: 'companies',
  refreshSeconds: 86_400,
  now: NOW,
  chunkSize: 100,
};

/** Lands, plans, and gives the counts and the ids of all chunks. */
async function plan(answers: Answer[], request: Partial<DueRequest> = {}) {
  const dataDir = temporaryDataDir();
  await land(dataDir, answers);
  const asked = { ...base, ...request };
  const counts = await planDue(await openTestWarehouse(dataDir), dataDir, asked);
  const folder = dueDir(dataDir, asked.run, asked.stream);
  const chunks = Array.from(
    { length: counts.chunks },
    (_, chunk) => JSON.parse(readFileSync(chunkFile(folder, chunk), 'utf8')) as string[],
  );
  return { ...counts, chunks: chunks.length, ids: chunks.flat(), files: readdirSync(folder).toSorted() };
}

const sighted = (ids: number[], run = 'now') =>
  marketNight({ run, date: '2026-11-20', ids }).filter((answer) => answer.stream === 'prospecting');
const answered = (id: number, at: string, rest: Partial<Answer> = {}): Answer => ({
  stream: 'companies',
  entity: String(id),
  at,
  body: { id, name: 'x' },
  ...rest,
});

describe('planDue', () => {
  test('companies: never answered, answered too long ago, or named by an event since', async () => {
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
    // In ascending order of number, not of text.
    expect(result).toMatchObject({ known: 7, due: 5, ids: ['4', '5', '6', '7', '9'] });
  });

  test('a refresh of 0 makes every known company due, and no refresh is needed for one just read', async () => {
    const answers = [...sighted([1, 2]), answered(1, '2026-11-20T03:59:00Z'), answered(2, '2026-11-20T03:59:00Z')];
    expect(await plan(answers, { refreshSeconds: 0 })).toMatchObject({ known: 2, due: 2 });
    expect(await plan(answers)).toMatchObject({ known: 2, due: 0, chunks: 0, files: ['plan.json'] });
  });

  test('financials: not for companies whose details are gone', async () => {
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

  test('chunks are cut by size', async () => {
    const result = await plan(sighted([1, 2, 3, 4, 5]), { chunkSize: 2 });
    expect(result).toMatchObject({
      due: 5,
      chunks: 3,
      files: ['chunk-00000.json', 'chunk-00001.json', 'chunk-00002.json', 'plan.json'],
    });
  });

  test('the same run keeps its plan, whatever has landed since', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, sighted([1, 2]));
    const warehouse = await openTestWarehouse(dataDir);
    const first = await planDue(warehouse, dataDir, base);
    await land(dataDir, [answered(1, '2026-11-20T03:00:00Z')]);
    expect(await planDue(warehouse, dataDir, base)).toEqual(first);
    expect(JSON.parse(readFileSync(chunkFile(dueDir(dataDir, 'now', 'companies'), 0), 'utf8'))).toEqual(['1', '2']);
  });

  test('work addressed by date takes the members of the latest night, or all companies without a market', async () => {
    const answers = [
      ...marketNight({ run: 'n1', date: '2026-11-18', ids: [1, 2] }),
      ...marketNight({ run: 'n2', date: '2026-11-19', ids: [2, 3] }),
      ...marketNight({ run: 'k', date: '2026-11-19', ids: [4], market: 'k' }),
      ...marketNight({ run: 'open', date: '2026-11-20', ids: [5], finished: false }),
    ];
    expect(await plan(answers, { known: 'members' })).toMatchObject({ ids: ['2', '3'] });
    expect(await plan(answers, { known: 'members', market: null })).toMatchObject({ ids: ['1', '2', '3', '4', '5'] });
    expect(await plan(answers, { known: 'members', market: 'unknown' })).toMatchObject({ known: 0, due: 0 });
  });

  test('tender details: never read, or listed differently than when they were read', async () => {
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
    expect(result).toMatchObject({ known: 4, due: 2, ids: ['changed', 'new'] });
  });

  test('watch events: every company of this run’s listing', async () => {
    const result = await plan(
      [
        { stream: 'watched_companies', run: 'then', body: { data: [{ id: 1 }] } },
        { stream: 'watched_companies', run: 'now', body: { data: [{ id: 3 }, { id: '2' }] } },
      ],
      { stream: 'watch_events' },
    );
    expect(result).toMatchObject({ known: 2, due: 2, ids: ['2', '3'] });
  });

  test('a corrupt part does not stop the planning', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, [...sighted([1]), answered(1, '2026-11-20T03:00:00Z')]);
    for (const part of readManifests(dataDir, { stream: 'companies' })) rmSync(part.file);
    expect(await planDue(await openTestWarehouse(dataDir), dataDir, base)).toMatchObject({ known: 1, due: 1 });
  });
});
