import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OperationsAnswer } from '../../../../schemas/explorer/api.js';
import { publishAnswers, startTestExplorer, type TestExplorer } from '../../../helpers/explorer.js';
import { marketNight, type Answer } from '../../../helpers/warehouse.js';

const STATUS = { company_status: [201] };
const NARROW = { ...STATUS, nace: ['58'] };
/** The first night misses 3 of 9 companies, all in one search that cannot be split. The second night is complete. */
const SEARCHES = [
  { segment: 'root', parent: null, filters: {}, total: 9, found: 6, state: 'split', pages: 1 },
  { segment: 'root/a', parent: 'root', filters: STATUS, total: 7, found: 4, state: 'remainder', pages: 1 },
  { segment: 'root/a/b', parent: 'root/a', filters: NARROW, total: 7, found: 4, state: 'remainder', pages: 3 },
  {
    segment: 'root/a/b/0',
    parent: 'root/a/b',
    filters: { ...NARROW, size: 1 },
    total: 0,
    found: 0,
    state: 'leaf',
    pages: 1,
  },
  {
    segment: 'root/c',
    parent: 'root',
    filters: { company_status: [199] },
    total: 2,
    found: 2,
    state: 'leaf',
    pages: 1,
  },
];

let dataDir: string;
let explorer: TestExplorer;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-reasons-'));
  const first = { run: 'r1', date: '2026-11-20', market: 'm' };
  const nights = [
    ...marketNight({ ...first, ids: [1, 2, 3, 4, 5, 6], missing: 3 }).map((answer) =>
      answer.stream === 'coverage' ? withGap(answer) : answer,
    ),
    ...marketNight({ run: 'r2', date: '2026-11-21', ids: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
  ];
  const segments: Answer[] = [
    ...SEARCHES.map((search) => ({ ...search, run: 'r1' })),
    { ...SEARCHES[0]!, run: 'r2', found: 9 },
  ].map(({ run, total, found, ...search }) => ({
    run,
    date: run === 'r1' ? '2026-11-20' : '2026-11-21',
    market: 'm',
    stream: 'segments',
    entity: search.segment,
    body: {
      ...search,
      total_reported: total,
      distinct_companies: found,
      rows_fetched: found,
      depth: search.segment.split('/').length - 1,
      split_by: search.segment === 'root/a/b' ? 'size' : null,
    },
  }));
  await publishAnswers(dataDir, [...nights, ...segments], 'r2', '2026-11-21T04:00:00Z');
  explorer = await startTestExplorer(dataDir);
});
afterAll(async () => {
  await explorer.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function withGap(answer: Answer): Answer {
  const gap = { segment: 'root/a', filters: STATUS, missing: 3, class: 'unproven', reason: 'split by nace' };
  return { ...answer, body: { ...(answer.body as object), why: [gap] } };
}

it('keeps the reason of an incomplete night, with the narrowest search that misses the companies', async () => {
  const { searches, reasons } = await explorer.json<OperationsAnswer>('/api/v1/operations');
  expect(searches.map(({ date, missing }) => [date, missing])).toEqual([
    ['2026-11-21', 0],
    ['2026-11-20', 3],
  ]);
  expect(reasons).toEqual([
    {
      market: 'm',
      run: 'r1',
      filters: JSON.stringify(STATUS),
      missing: 3,
      class: 'unproven',
      reason: 'split by nace',
      stuck_filters: JSON.stringify(NARROW),
      stuck_split_by: 'size',
      stuck_total: 7,
      stuck_shown: 4,
      stuck_fixed: [],
      stuck_properties: ['company_status', 'nace', 'size'],
    },
  ]);
});

it('shows the segments of the chosen night, without searches that have no company', async () => {
  const read = async (night: string): Promise<unknown[]> =>
    (await explorer.json<OperationsAnswer>(`/api/v1/operations?night=${night}`)).segments.map((one) => [
      one['segment'],
      one['total_reported'],
      one['distinct_companies'],
    ]);
  expect(await read('2026-11-20')).toEqual([
    ['root/a/b', 7, 4],
    ['root/c', 2, 2],
  ]);
  expect(await read('2026-11-19')).toEqual([]);
  expect(await read('none')).toEqual([]);
});
