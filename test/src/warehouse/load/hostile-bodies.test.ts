import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LandingStream } from '../../../../schemas/streams/landing-streams.js';
import { landRows } from '../../../../src/landing/index.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import type { LoadCounts } from '../../../../src/warehouse/duckdb/errors.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { Data } from '../../../../src/store/data.js';

/*
 * Every hostile body is one row of a part, between two good rows. One load reads all parts, with a memory limit that the
 * old code exceeded. So each case shows: the load ends, its neighbours are loaded, and the body is a reject or a value.
 */

/** `{"<key 0>":<value 0>,…}`; `ends` are further members. */
const object = (n: number, value: (i: number) => string, key = (i: number): string => `k${i}`, ends = ''): string =>
  `{${Array.from({ length: n }, (_, i) => `"${key(i)}":${value(i)}`).join(',')}${ends}}`;
const list = (n: number, item: (i: number) => string): string =>
  `[${Array.from({ length: n }, (_, i) => item(i)).join(',')}]`;
const deep = (n: number): string => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`;
const text = (n: number): string => `"${'y'.repeat(n)}"`;
const fat = (megabytes: number): string => list(megabytes, () => text(1_000_000));
const year = (i: number): string => String(1800 + i);
const company = (rest: string): string => `{"id":{id},"name":"N"${rest === '' ? '' : `,${rest}`}}`;
const delivery = (rest: string): string =>
  `{"field":"company.name","status":"changed","old_value":"a","new_value":"b","company_data":{"id":{id},"date":"2026-11-20T01:00:00Z"${rest}}}`;
const v1 = (reports: string): string => `{"companyId":{id},"country":"DK","reports":${reports}}`;
const v1Report = (day: number, indicators: string): string => `{"date":${day},"indicators":${indicators}}`;

const GOOD: Partial<Record<LandingStream, string>> = {
  companies: company(''),
  financials: '{"2020":{"Turnover":{id}}}',
  financials_ticker: '{"2020":{"Turnover":{id}}}',
  financials_v1: v1(`[${v1Report(20_201_231, '{"Turnover":{"value":{id}}}')}]`),
  watch_events: delivery(''),
  prospecting: '{"total_companies":1,"total_pages":1,"data":[{"id":{id},"name":"N"}]}',
  tenders: '{"total_results":1,"data":[{"slug":"s{id}","title":"T"}]}',
  ownership: '{"conclusive":true,"owners":[{"id":{id},"name":"O"}]}',
  executives: '{"list":[{"id":{id},"first_name":"A","last_name":"B"}]}',
  nomenclatures: '{"countries":[{"id":{id},"name":"N"}]}',
  companies_v1: '{"id":{id},"name":"N"}',
  runs: '{"run_id":"{id}","outcome":"complete"}',
};

/** Stream, body, and the reason of its one reject on `$`. `value`: it loads. `values`: some of its values are rejects. */
const ALL: [name: string, stream: LandingStream, body: string, expected: string][] = [
  ['60 years with 500 indicators each', 'financials', object(60, () => object(500, (i) => `${i}.5`), year), 'value'],
  ['400 years', 'financials', object(400, () => '{"Turnover":1}', year), 'value'],
  ['401 years', 'financials', object(401, () => '{"Turnover":1}', year), 'too_many_years'],
  ['10,000 years', 'financials', object(10_000, () => '{"Turnover":1}', String), 'too_many_years'],
  ['400 keys that are no years', 'financials', object(400, () => '{"Turnover":1}', String), 'values'],
  ['15,000 years without values', 'financials', object(15_000, () => '0', String), 'too_many_years'],
  ['100,000 years', 'financials', object(100_000, () => '{"Turnover":1}', String), 'too_many_keys'],
  ['15,000 indicators in a year', 'financials', `{"2020":${object(15_000, String)}}`, 'value'],
  ['25,000 indicators in a year', 'financials', `{"2020":${object(25_000, String)}}`, 'too_many_keys'],
  [
    '400 years with 700 indicators each',
    'financials',
    object(400, () => object(700, () => '1'), year),
    'too_many_values',
  ],
  [
    'odd years beside 20 MB of texts',
    'financials',
    object(300, (i) => (i % 2 ? '7' : '{"T":[1]}'), year, `,"2199":{"t":${fat(20)}}`),
    'values',
  ],
  ['a value nested 5,000 levels', 'financials', `{"2020":{"Turnover":${deep(5_000)}}}`, 'too_deep'],
  ['10,000 years by ticker', 'financials_ticker', object(10_000, () => '{"Turnover":1}', String), 'too_many_years'],
  [
    '10,000 years one level below',
    'financials_ticker',
    `{"data":${object(10_000, () => '{"Turnover":1}', year)}}`,
    'too_many_years',
  ],
  [
    '60 reports with 500 indicators each',
    'financials_v1',
    v1(
      list(60, (i) =>
        v1Report(
          18_001_231 + i * 10_000,
          object(500, (j) => `{"value":${j}}`),
        ),
      ),
    ),
    'value',
  ],
  [
    '3,000 reports of one day',
    'financials_v1',
    v1(list(3_000, (i) => v1Report(20_201_231, `{"Turnover":{"value":${i}}}`))),
    'values',
  ],
  ['200,000 empty reports', 'financials_v1', v1(list(200_000, () => '{}')), 'too_many_items'],
  ['a record nested 20,000 levels', 'companies', company(`"extra":${deep(20_000)}`), 'too_deep'],
  ['a record nested 90 levels', 'companies', company(`"extra":${deep(90)}`), 'value'],
  ['a million brackets', 'companies', '['.repeat(1_000_000), 'too_deep'],
  ['brackets in a text', 'companies', company(`"extra":"${'[{'.repeat(100_000)}"`), 'value'],
  ['15,000 fields', 'companies', company(object(15_000, String).slice(1, -1)), 'value'],
  ['30,000 fields', 'companies', company(object(30_000, String).slice(1, -1)), 'too_many_keys'],
  ['30,000 industries', 'companies', company(`"industry":${list(30_000, (i) => `{"id":${i},"value":"v"}`)}`), 'value'],
  ['150,000 phones', 'companies', company(`"company_phone":${list(150_000, String)}`), 'too_many_items'],
  [
    '3 lists with 90,000 items',
    'companies',
    company(`"a":${list(90_000, String)},"b":${list(90_000, String)},"c":${list(90_000, String)}`),
    'too_many_values',
  ],
  ['a name of 900,000 letters', 'companies', company(`"status":${text(900_000)}`), 'value'],
  ['a text of 17,000,000 letters', 'companies', company(`"status":${text(17_000_000)}`), 'too_long_text'],
  ['a key of 17,000,000 letters', 'companies', company(`${text(17_000_000)}:1`), 'too_long_text'],
  ['a number of 17,000,000 digits', 'companies', company(`"size":${'1'.repeat(17_000_000)}`), 'too_long_text'],
  ['17,000,000 spaces', 'companies', `${' '.repeat(17_000_000)}${company('')}`, 'value'],
  ['800 bad values', 'companies', company(`"x":${list(800, () => 'NaN')}`), 'values'],
  ['50,000 bad values', 'companies', company(`"x":${list(50_000, () => 'NaN')}`), 'too_many_bad_values'],
  [
    '800 bad values beside 20 MB of texts',
    'companies',
    company(`"x":${list(800, () => 'NaN')},"t":${fat(20)}`),
    'too_many_bad_values',
  ],
  ['33 MiB', 'companies', company(`"t":${fat(35)}`), 'too_large'],
  ['an unfinished text of 17,000,000 letters', 'companies', text(17_000_000).slice(0, -1), 'too_long_text'],
  ['no text', 'companies', '', 'not_json'],
  ['a zero byte and control characters', 'companies', '\u0000\u0001{"id":1}', 'not_json'],
  ['a record of version 1 nested 20,000 levels', 'companies_v1', `{"id":{id},"x":${deep(20_000)}}`, 'too_deep'],
  ['a delivery nested 20,000 levels', 'watch_events', delivery(`,"a":${deep(20_000)}`), 'too_deep'],
  ['a delivery nested 150,000 levels', 'watch_events', delivery(`,"a":${deep(150_000)}`), 'too_deep'],
  ['a delivery with 90 levels', 'watch_events', delivery(`,"a":${deep(90)}`), 'value'],
  [
    'a page of 60,000 companies',
    'prospecting',
    `{"total_companies":1,"total_pages":1,"data":${list(60_000, (i) => `{"id":${1_000_000 + i},"name":"N"}`)}}`,
    'value',
  ],
  ['a page nested 20,000 levels', 'prospecting', `{"data":[${deep(20_000)}]}`, 'too_deep'],
  ['a page of 200,000 tenders', 'tenders', `{"data":${list(200_000, () => '{}')}}`, 'too_many_items'],
  ['1,000 owners', 'ownership', `{"owners":${list(1_000, (i) => `{"id":${i},"name":"O"}`)}}`, 'value'],
  [
    '2,000 owners beside 20 MB of texts',
    'ownership',
    `{"owners":${list(2_000, (i) => `{"id":${i}}`)},"t":${fat(20)}}`,
    'too_many_values',
  ],
  ['30,000 executives', 'executives', `{"list":${list(30_000, (i) => `{"id":${i},"last_name":"B"}`)}}`, 'value'],
  ['a lookup list of 15,000 ids', 'nomenclatures', `{"cities":${object(15_000, () => '"N"', String)}}`, 'value'],
  ['a record about a run, nested 20,000 levels', 'runs', deep(20_000), 'too_deep'],
];

// `npm test` loads only the cheapest body of each kind.
const CORE =
  /^(400 years|10,000 years|a value nested.*|a record nested.*|800 bad values|a delivery nested 20,000 levels)$/;
const CASES = ALL.filter(([name]) => process.env['HOSTILE_BODIES'] === 'all' || CORE.test(name));

describe('one load of hostile bodies', () => {
  let dataDir: string;
  let warehouse: Warehouse;
  let counts: LoadCounts;
  const hashes: string[][] = [];
  const idOf = (n: number): number => 10 + 3 * n;

  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-hostile-'));
    for (const [n, [, stream, body]] of CASES.entries()) {
      const rows = [GOOD[stream] ?? '', body, GOOD[stream] ?? ''].map((said, i) => ({
        request_key: stream === 'watch_events' ? 'WEBHOOK /delivery' : `GET /${stream}/${idOf(n) + i}`,
        entity_id: String(idOf(n) + i),
        row_kind: stream === 'ownership' ? 'last-25' : 's',
        status: 200,
        fetched_at: '2026-11-20T02:00:00.000Z',
        body: said.replaceAll('{id}', String(idOf(n) + i)),
      }));
      hashes.push(rows.map((row) => createHash('sha256').update(row.body).digest('hex')));
      await landRows(
        { data: new Data(dataDir), stream, run: 'r1', date: '2026-11-20', market: 'm', chunk: `c${n}` },
        rows,
      );
    }
    warehouse = await openWarehouse(new Data(dataDir), { memoryLimit: '1GB' });
    counts = await loadLanding(warehouse, new Data(dataDir));
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('loads all parts', () => {
    expect(counts).toMatchObject({ parts: CASES.length, rows: 3 * CASES.length });
  });

  it.each(CASES.map(([name, stream, , expected], n) => [name, stream, expected, n] as const))(
    '%s in %s: %s',
    async (_, stream, expected, n) => {
      const rows = await warehouse.db.rows<{ entity_id: string; readable: boolean }>(
        `SELECT entity_id, readable FROM ledger.observations
         WHERE stream = $stream AND body_hash IN (SELECT unnest(CAST($hashes AS JSON)::VARCHAR[]))`,
        { stream, hashes: JSON.stringify(hashes[n]) },
      );
      const isWhole = expected === 'value' || expected === 'values';
      expect(rows.filter(({ readable }) => readable)).toHaveLength(isWhole ? 3 : 2);
      expect(rows).toHaveLength(3);
      const rejects = await warehouse.db.rows<{ reason: string; path: string }>(
        `SELECT DISTINCT reason, path FROM ledger.rejects JOIN (
           SELECT stream, entity_id FROM ledger.observations WHERE body_hash IN (SELECT unnest(CAST($hashes AS JSON)::VARCHAR[]))
         ) USING (stream, entity_id)`,
        { hashes: JSON.stringify(hashes[n]) },
      );
      if (expected === 'value') expect(rejects).toEqual([]);
      else if (expected === 'values')
        expect(rejects.filter(({ path: place }) => place !== '$').length).toBeGreaterThan(1);
      else expect(rejects).toEqual([{ reason: expected, path: '$' }]);
    },
  );
});
