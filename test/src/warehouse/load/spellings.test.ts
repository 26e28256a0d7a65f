import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { prepareSession } from '../../../../src/warehouse/duckdb/session.js';
import { useShared } from '../../../../src/warehouse/duckdb/shared.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { land, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

/** Sizes with their bounds; null: the meaning is not certain, so the size stays as text. */
const SIZES: [size: unknown, bounds: [number | null, number | null] | null][] = [
  [12, [12, 12]],
  [0, [0, 0]],
  ['12.0', [12, 12]],
  ['12,00', [12, 12]],
  ['11-50', [11, 50]],
  ['51–200 employees', [51, 200]],
  ['51 to 200', [51, 200]],
  ['from 51 to 200 people', [51, 200]],
  ['between 51 and 200', [51, 200]],
  ['1\u00A0001 - 5\u00A0000', [1001, 5000]],
  ['1\u202F001\u20135\u202F000', [1001, 5000]],
  ['1\u2009001\u20125\u2009000', [1001, 5000]],
  ['1.001-5.000', [1001, 5000]],
  ['501-1.000', [501, 1000]],
  ['1,001-5,000', [1001, 5000]],
  ['1’001 − 5’000', [1001, 5000]],
  ['10,00,000', [1_000_000, 1_000_000]],
  ['1.234.567', [1_234_567, 1_234_567]],
  ['10k', [10_000, 10_000]],
  ['1.5k', [1500, 1500]],
  ['10K-50K', [10_000, 50_000]],
  ['1e3', [1000, 1000]],
  ['10+', [10, null]],
  ['1001 +', [1001, null]],
  ['1000 or more', [1000, null]],
  ['at least 1,000 employees', [1000, null]],
  ['≥ 10', [10, null]],
  ['> 1000', [1001, null]],
  ['&gt;1000', [1001, null]],
  ['over 1000', [1001, null]],
  ['<10', [null, 9]],
  ['up to 10', [null, 10]],
  ['10 or fewer', [null, 10]],
  ['٥١-٢٠٠', [51, 200]],
  ['1.001', null],
  ['1.001+', null],
  ['1-5.000', null],
  ['10-50k', null],
  ['12.5', null],
  ['ca. 50', null],
  ['200-51', null],
  ['-5', null],
  ['10-', null],
  ['1-99999999999', null],
  ['n/a', null],
  [true, null],
];

/** Dates with their day; null: no such day, or the meaning is not certain. */
const DATES: [text: unknown, day: string | null][] = [
  ['2020-01-31', '2020-01-31'],
  ['2020-01-31T23:30:00-05:00', '2020-01-31'],
  ['20200131', '2020-01-31'],
  [20_200_131, '2020-01-31'],
  ['2020/01/31', '2020-01-31'],
  ['2020.1.5', '2020-01-05'],
  ['31/12/2020', '2020-12-31'],
  ['12/31/2020', '2020-12-31'],
  ['31.12.2020 8:00', '2020-12-31'],
  ['04-04-2020', '2020-04-04'],
  ['31 January 2020', '2020-01-31'],
  ['January 31, 2020', '2020-01-31'],
  ['31-Jan-2020', '2020-01-31'],
  ['Thu, 31 Dec 2020 10:00:00 GMT', '2020-12-31'],
  ['2020\u201101\u201131', '2020-01-31'],
  ['\u200E2020-01-31\u00A0', '2020-01-31'],
  [1_580_428_800, '2020-01-31'],
  [1_580_428_800_000, '2020-01-31'],
  ['03/04/2020', null],
  ['31.12.20', null],
  ['2020-02-30', null],
  ['30/02/2020', null],
  ['0000-00-00', null],
  ['2020', null],
  ['2020-01', null],
  ['1580428801', null],
  ['43861', null],
  ['soon', null],
];

/** Numbers as text with their value; null: the meaning is not certain, or the text has a unit. */
const NUMBERS: [text: string, value: number | null][] = [
  ['5', 5],
  ['+5', 5],
  ['1e3', 1000],
  ['-0', 0],
  ['1.234', 1.234],
  ['1,234.5', 1234.5],
  ['1.234,56', 1234.56],
  ['1,234,567', 1_234_567],
  ['1.234.567', 1_234_567],
  ['1 234', 1234],
  ['1\u00A0234,5', 1234.5],
  ['1\u202F234', 1234],
  ["1'234.50", 1234.5],
  ['12,5', 12.5],
  ['0,123', 0.123],
  ['10,00,000', 1_000_000],
  ['\u22125', -5],
  ['5-', -5],
  ['(1,234.00)', -1234],
  ['١٢٣', 123],
  ['1,234', null],
  ['(1,234)', null],
  ['12%', null],
  ['€ 5', null],
  ['1,2,3', null],
  ['--5', null],
  ['2024-12-31', null],
  ['1_000', null],
  ['0x10', null],
  ['NaN', null],
];

const FLAGS: [flag: unknown, conclusive: boolean | null][] = [
  [true, true],
  ['yes', true],
  ['Y', true],
  ['TRUE', true],
  [1, true],
  ['1', true],
  ['on', true],
  [false, false],
  ['no', false],
  [0, false],
  ['0', false],
  ['off', false],
  ['maybe', null],
  [2, null],
];

const LISTS: [brands: unknown, list: string[] | null, rejected: number][] = [
  [['a', 'b'], ['a', 'b'], 0],
  ['a', ['a'], 0],
  ['a, b', ['a', 'b'], 0],
  ['["a","b, c"]', ['a', 'b, c'], 0],
  ['a; b', ['a; b'], 0],
  ['[a', ['[a'], 0],
  [7, ['7'], 0],
  [['a', 7], ['a', '7'], 0],
  [null, null, 0],
  [['a', ['b']], ['a'], 1],
  [{ name: 'a' }, null, 1],
];

const AT = { at: '2026-11-20T02:00:00Z', date: '2026-11-20', run: 'r', market: 'm' };
const answer = (stream: Answer['stream'], entity: string, body: unknown, more: Partial<Answer> = {}): Answer => ({
  ...AT,
  stream,
  entity,
  body,
  ...more,
});
const company = (id: number, fields: object): Answer => answer('companies', String(id), { id, name: 'A', ...fields });

let dataDir: string;
let warehouse: Warehouse;
const rows = (sql: string): Promise<Record<string, unknown>[]> => warehouse.db.rows(sql);
const check = async (model: string, name: string): Promise<Record<string, unknown> | undefined> =>
  (await rows(`SELECT failing_rows, examples FROM ops.checks WHERE model = '${model}' AND "check" = '${name}'`))[0];

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-spellings-'));
  warehouse = await openWarehouse(new Data(dataDir));
  await land(dataDir, [
    ...SIZES.map(([size], i) => company(1000 + i, { size })),
    ...DATES.map(([founding_date], i) => company(2000 + i, { founding_date })),
    ...LISTS.map(([brands], i) => company(3000 + i, { brands })),
    company(4000, { founding_date: '2020-01-31 or later' }),
    ...NUMBERS.map(([text], i) => answer('financials', String(5000 + i), { 2024: { Turnover: text } })),
    ...FLAGS.map(([conclusive], i) => answer('ownership', String(6000 + i), { conclusive }, { row_kind: 'last-25' })),
    ...DATES.map(([text], i) =>
      answer('tender_details', `t${i}`, {
        slug: `t${i}`,
        title: 'T',
        deadline_date: text,
        countries: [{ id: 1 }, 'DK'],
      }),
    ),
    answer('tender_details', 'contacts', { slug: 'contacts', contacts: { mobile: '+45 1', email: ['a@example.com'] } }),
  ]);
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse);
});
afterAll(async () => {
  await warehouse.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('spellings', () => {
  it('parses sizes, or keeps and counts them', async () => {
    const read = await rows(
      'SELECT company_id, size_text, employees_min, employees_max FROM core.companies WHERE company_id < 2000 ORDER BY 1',
    );
    expect(
      read.map(({ size_text, employees_min, employees_max }) => [size_text, employees_min, employees_max]),
    ).toEqual(SIZES.map(([size, bounds]) => [String(size), ...(bounds ?? [null, null])]));
    const unread = SIZES.filter(([, bounds]) => bounds === null).map(([size]) => String(size));
    const found = await check('core.companies', 'size_not_parsed');
    expect(found?.['failing_rows']).toBe(String(unread.length));
    expect(found?.['examples']).toHaveLength(5);
    expect(unread).toEqual(expect.arrayContaining(found?.['examples'] as string[]));
  });

  it('parses dates, or keeps and counts them', async () => {
    const read = await rows(
      'SELECT founding_date FROM core.companies WHERE company_id BETWEEN 2000 AND 2999 ORDER BY company_id',
    );
    expect(read.map(({ founding_date }) => founding_date)).toEqual(DATES.map(([, day]) => day));
    const deadlines = await rows(
      `SELECT deadline_date, deadline_at FROM core.tenders WHERE slug <> 'contacts' ORDER BY CAST(slug[2:] AS INTEGER)`,
    );
    expect(deadlines.map(({ deadline_date }) => deadline_date)).toEqual(DATES.map(([, day]) => day));
    expect(deadlines[8]).toMatchObject({ deadline_at: '2020-12-31 08:00:00' });
    const unread = DATES.filter(([, day]) => day === null).map(([text]) => text);
    const rejected = await rows(
      `SELECT raw FROM ops.rejects WHERE stream = 'companies' AND path = '$.founding_date' AND reason = 'not_a_date' ORDER BY entity_id`,
    );
    expect(rejected.map(({ raw }) => JSON.parse(String(raw)) as unknown)).toEqual(unread);
    const found = await check('ops.rejects', 'dates_not_parsed');
    expect(found).toMatchObject({ failing_rows: String(2 * unread.length + 1) });
    expect(found?.['examples']).toContain('companies 2018 $.founding_date: "03/04/2020"');
  });

  it('counts a date with a time that is none, and keeps the date', async () => {
    expect(await rows('SELECT founding_date FROM core.companies WHERE company_id = 4000')).toEqual([
      { founding_date: '2020-01-31' },
    ]);
    expect(await rows(`SELECT reason, raw FROM ops.rejects WHERE entity_id = '4000'`)).toEqual([
      { reason: 'not_a_time', raw: '"2020-01-31 or later"' },
    ]);
  });

  it('parses numbers, or keeps and counts them', async () => {
    const read = await rows(
      `SELECT i, value_double, value_text FROM range(5000, ${5000 + NUMBERS.length}) AS r(i)
       LEFT JOIN core.financials ON company_id = i AND indicator = 'Turnover' ORDER BY i`,
    );
    expect(read.map(({ value_double }) => (value_double === 0 ? 0 : value_double))).toEqual(
      NUMBERS.map(([, value]) => value),
    );
    expect(read.filter(({ value_text }) => value_text !== null).map(({ value_text }) => value_text)).toEqual(
      NUMBERS.filter(([, value]) => value !== null).map(([text]) => text),
    );
    const unread = NUMBERS.filter(([, value]) => value === null);
    const rejected = await rows(`SELECT raw FROM ops.rejects WHERE reason = 'not_a_number' ORDER BY entity_id`);
    expect(rejected.map(({ raw }) => JSON.parse(String(raw)) as unknown)).toEqual(unread.map(([text]) => text));
    expect(await check('ops.rejects', 'numbers_not_parsed')).toMatchObject({ failing_rows: String(unread.length) });
  });

  it('parses booleans, or keeps and counts them', async () => {
    const read = await rows('SELECT conclusive FROM core.owners ORDER BY company_id');
    expect(read.map(({ conclusive }) => conclusive)).toEqual(FLAGS.map(([, conclusive]) => conclusive));
    expect(await check('core.owners', 'conclusive_not_parsed')).toEqual({
      failing_rows: '2',
      examples: ['2', 'maybe'],
    });
  });

  it('parses lists, or keeps and counts them', async () => {
    const read = await rows(
      `SELECT brands FROM core.companies WHERE company_id BETWEEN 3000 AND 3999 ORDER BY company_id`,
    );
    expect(read.map(({ brands }) => brands)).toEqual(LISTS.map(([, list]) => list));
    const rejected = await rows(`SELECT entity_id FROM ops.rejects WHERE starts_with(path, '$.brands') ORDER BY ALL`);
    expect(rejected.map(({ entity_id }) => Number(entity_id) - 3000)).toEqual(
      LISTS.flatMap(([, , rejects], i) => (rejects > 0 ? [i] : [])),
    );
    expect(await rows(`SELECT DISTINCT countries FROM core.tenders WHERE slug <> 'contacts'`)).toEqual([
      { countries: ['DK'] },
    ]);
    expect(
      await rows(
        `SELECT path, raw FROM ops.rejects WHERE entity_id IN ('t0', 'contacts') AND reason = 'wrong_type' ORDER BY path`,
      ),
    ).toEqual([
      // The models are built without personal data.
      { path: '$.contacts.email[0]', raw: null },
      { path: '$.contacts.mobile', raw: null },
      { path: '$.countries[0]', raw: '{"id":1}' },
    ]);
  });

  it('has no examples for audits that count no values', async () => {
    expect(await check('core.companies_history', 'key_is_unique')).toEqual({ failing_rows: '0', examples: null });
  });
});

it('reads every number that a person may write, and never another one', async () => {
  const separators = [',', '.', ' ', '\u00A0', '\u202F', "'", '’'] as const;
  const cases = fc.sample(
    fc.record({
      whole: fc.integer({ min: 0, max: 2_000_000_000 }),
      cents: fc.option(fc.integer({ min: 0, max: 99 })),
      group: fc.constantFrom(...separators),
      minus: fc.constantFrom('', '-', '\u2212'),
    }),
    300,
  );
  const written = cases.map(({ whole, cents, group, minus }) => {
    const point = group === '.' ? ',' : '.';
    const digits = String(whole).replaceAll(/\B(?=(\d{3})+$)/g, group);
    return minus + digits + (cents === null ? '' : `${point}${String(cents).padStart(2, '0')}`);
  });
  await withMemory(':memory:', async (db) => {
    await prepareSession(db);
    await useShared(db);
    const read = await db.rows<{ t: string; d: number | null; lo: number | null }>(
      `SELECT t, report_number(to_json(t)::VARCHAR, t) AS d, size_bounds(t).lo AS lo
       FROM (SELECT unnest(CAST(CAST($texts AS JSON) AS VARCHAR[])) AS t)`,
      { texts: JSON.stringify(written) },
    );
    const byText = new Map(read.map((row) => [row.t, row]));
    for (const [i, { whole, cents, minus }] of cases.entries()) {
      const value = (minus === '' ? 1 : -1) * (whole + (cents ?? 0) / 100);
      const { d, lo } = byText.get(written[i]!)!;
      // `1,234` and `1.234` are the only ambiguous numbers; a point means decimals.
      if (/^.?\d{1,3},\d{3}$/.test(written[i]!)) expect(d).toBeNull();
      else if (/^.?\d{1,3}\.\d{3}$/.test(written[i]!)) expect(d).toBe(value / 1000);
      else expect(d).toBeCloseTo(value, 5);
      expect([null, ...(minus === '' && (cents ?? 0) === 0 ? [whole] : [])]).toContain(lo);
    }
  });
});
