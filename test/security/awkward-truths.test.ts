import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, createApiClient, type ApiClient, type ApiResponse } from '../../src/api/index.js';
import { rowOf, rowOfError } from '../../src/crawl/records/answer.js';
import { landRows, type NewRow } from '../../src/landing/index.js';
import type { LandingStream } from '../../schemas/streams/landing-streams.js';
import { buildModels } from '../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../src/warehouse/load/load.js';
import { openWarehouse } from '../../src/warehouse/duckdb/open.js';
import { publish } from '../../src/warehouse/publish/publish.js';
import { queryFile } from '../helpers/project.js';
import { startStubApi, TEST_KEY, type StubApi } from '../src/api/helpers.js';
import { runCli } from '../helpers/run-cli.js';
import { Data } from '../../src/store/data.js';

const MIB = 1024 * 1024;
const BIG = '9007199254740993'; // 2^53 + 1: a double would turn it into another id

/** Bodies of the API by path; those that JSON.stringify cannot write are given as text. */
const BODIES: Record<string, string | object | (() => Iterable<string>)> = {
  ...companies({
    1: { name: '👩‍👩‍👧 é e\u0301 مرحبا \u202eevil 𝒳𠜎 \ufeff' },
    2: { name: 'a\u0000b' },
    3: String.raw`{"id":3,"name":"\ud800x\ude00","status":"C:\\ud800"}`,
    4: { name: `He said "hi";\r\n\t'); DROP TABLE core.companies; --`, address_street: '../../../etc/passwd' },
    5: { name: '<script>alert(1)</script>', website: 'javascript:alert(1)' },
    6: { name: `=cmd|' /C calc'!A0`, registration_number: '+4512345678', vat_number: '-7' },
    7: { name: '\u001b]0;title\u0007\u001b[2J\u009b31m' },
    8: { name: 'days', founding_date: '0000-00-00' },
    9: { name: 'days', founding_date: '2023-02-30' },
    10: { name: 'days', founding_date: '9999-12-31' },
    11: { name: ['an', 'array'], company_phone: { not: 'a list' }, industry: 'no list' },
    12: '{"id":12,"name":"one","name":"other"}',
    13: '{"id":13,"name":NaN}',
    14: `{"id":14,"name":"deep","more":${'['.repeat(90)}${']'.repeat(90)}}`,
    15: `{"id":15,"more":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    16: [{ id: 16 }],
    17: { name: 'x'.repeat(8 * MIB) },
    18: { name: 'long reject', founding_date: 'y'.repeat(8 * MIB) },
    19: function* huge() {
      yield '{"id":19,"name":"';
      for (let i = 0; i < 100; i++) yield 'z'.repeat(MIB);
      yield '"}';
    },
    [BIG]: `{"id":${BIG},"name":"beyond doubles"}`,
  }),
  '/v2/financial/1': String.raw`{
    "2023": {"Turnover": -1e300, "EBITDA": 1e999, "Gross-Profit": "-0.5", "Cash": "NaN", "Employee-Numbers": [1], "Currency": "=1+1",
             "New\u0000\"\\Indicator": "'; --"},
    "2022": {"Turnover": 1, "Turnover": 2}, "2021": [1], "2021x": {}, "\\": {"Turnover": 5}, "": null, "9999": {"Turnover": 5},
    "2020": {"Turnover": 123456789012345678901234567890}
  }`,
  '/v2/prospecting': `{"total_companies":4,"total_pages":1,"data":[{"id":${BIG},"name":"a"},{"id":9007199254740992,"name":"b"},{"id":"../1"},{"id":5,"id":6}]}`,
  '/v1/finder/tenders': {
    total_results: 2,
    data: [{ slug: '../../../../tmp/x', title: '@SUM(1)' }, { slug: `a'b"c\u0000/..` }],
  },
  '/v1/finder/nomenclatures': {
    [`x"; DROP TABLE ledger.rejects; --`]: [{ id: 1, name: 'n' }],
    '../..': [{ id: 2, name: '=1' }],
  },
};

function companies(records: Record<string, unknown>): Record<string, string | object | (() => Iterable<string>)> {
  return Object.fromEntries(
    Object.entries(records).map(([id, record]) => [
      `/v2/companies/${id}`,
      typeof record === 'object' && !Array.isArray(record) ? { id: Number(id), ...record } : (record as string),
    ]),
  );
}

describe('hostile API values, from the API to the published tables', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-awkward-'));
  const dataDir = path.join(dir, 'data');
  let api: StubApi;
  let client: ApiClient;
  let grown = 0;
  const received: number[] = [];

  const land = async (
    stream: LandingStream,
    asked: [entity: string | null, ask: () => Promise<ApiResponse<unknown>>][],
  ): Promise<void> => {
    const rows: NewRow[] = [];
    for (const [entity, ask] of asked) {
      rows.push(
        await ask().then(
          (response) => rowOf(response, entity, 'record'),
          (error: unknown) => {
            if (error instanceof ApiError) return rowOfError(error, entity ?? '', 'failed');
            throw error;
          },
        ),
      );
    }
    await landRows(
      { data: new Data(dataDir), stream, run: 'r', date: '2026-11-20', market: 'm', chunk: `${stream}-0` },
      rows,
    );
  };
  const query = (sql: string) => queryFile(path.join(dataDir, 'published', 'market.duckdb'), sql);
  const company = async (id: number | string) =>
    (await query(`SELECT * FROM core.companies WHERE company_id = ${id}`))[0];
  const rejectsOf = async (where: string): Promise<string[]> =>
    (await query(`SELECT reason, path FROM ops.rejects WHERE ${where}`))
      .map((row) => `${row['reason'] as string} ${row['path'] as string}`)
      .toSorted();
  const rejects = (id: number): Promise<string[]> => rejectsOf(`stream = 'companies' AND entity_id = '${id}'`);
  const tidemark = async (...args: string[]): Promise<string> => (await runCli(args, { cwd: dir })).stdout;

  beforeAll(async () => {
    api = await startStubApi(async ({ url }, response) => {
      const body = BODIES[url.split('?')[0] ?? ''];
      if (typeof body !== 'function') return void response.end(typeof body === 'string' ? body : JSON.stringify(body));
      for (const piece of body()) {
        if (response.destroyed) return undefined;
        response.write(piece);
        while (response.writableNeedDrain && !response.destroyed) await setImmediate();
      }
      response.end();
      return undefined;
    });
    client = createApiClient({
      baseUrl: api.url,
      apiKey: TEST_KEY,
      maxRetries: 0,
      onAttempt: ({ bytes }) => received.push(bytes),
    });
    const ids = Object.keys(BODIES).flatMap((key) => /^\/v2\/companies\/(\d+)$/.exec(key)?.[1] ?? []);
    const before = process.memoryUsage().rss;
    const watch = setInterval(() => (grown = Math.max(grown, process.memoryUsage().rss - before)), 20);
    await land(
      'companies',
      ids.map((id) => [id, () => client.v2.company(id)]),
    );
    await land('financials', [['1', () => client.v2.financial('1')]]);
    await land('prospecting', [[null, () => client.v2.prospecting({})]]);
    await land('tenders', [[null, () => client.v1.tenders({})]]);
    await land('nomenclatures', [['v1', () => client.v1.nomenclatures()]]);
    const warehouse = await openWarehouse(new Data(dataDir));
    try {
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse, { personalData: true });
      await publish(warehouse, dataDir, { run: 'r', now: new Date() });
    } finally {
      await warehouse.close();
    }
    clearInterval(watch);
    writeFileSync(path.join(dir, 'tidemark.yaml'), 'api: { baseUrl: "http://127.0.0.1:1" }');
  });

  afterAll(async () => {
    await client?.close();
    await api?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it.each([1, 2, 4, 5, 6, 7])('keeps the name of company %i unchanged', async (id) => {
    const { name } = BODIES[`/v2/companies/${id}`] as { name: string };
    expect(await company(id)).toMatchObject({ name });
    expect(await rejects(id)).toEqual([]);
  });

  it('replaces lone surrogates and keeps an escaped backslash', async () => {
    expect(await company(3)).toMatchObject({ name: '\ufffdx\ufffd', status: String.raw`C:\ud800` });
  });

  it('accepts real dates and files impossible ones as rejects', async () => {
    expect([await company(8), await company(9), await company(10)].map((row) => row?.['founding_date'])).toEqual([
      null,
      null,
      '9999-12-31',
    ]);
    expect([await rejects(8), await rejects(9), await rejects(10)]).toEqual([
      ['not_a_date $.founding_date'],
      ['not_a_date $.founding_date'],
      [],
    ]);
  });

  it('rejects a wrongly typed field by path and keeps the rest', async () => {
    expect(await company(11)).toMatchObject({ name: null, phones: null, has_details: true });
    expect(await rejects(11)).toEqual(['wrong_type $.company_phone', 'wrong_type $.industry', 'wrong_type $.name']);
    expect(await company(14)).toMatchObject({ name: 'deep' });
  });

  it('rejects only the value NaN of a record', async () => {
    expect(await company(13)).toMatchObject({ name: null, has_details: true });
    expect(await rejects(13)).toEqual(['not_finite $.name']);
  });

  it('rejects records with duplicate keys, invalid JSON, or excessive depth or size', async () => {
    for (const id of [12, 15, 16, 19]) expect(await company(id), String(id)).toBeUndefined();
    expect(await rejects(12)).toEqual(['duplicate_key $']);
    for (const id of [15, 16, 19]) expect(await rejects(id)).toEqual(['http_error $']);
    const raw = async (id: number) =>
      (await query(`SELECT raw FROM ops.rejects WHERE entity_id = '${id}'`))[0]?.['raw'];
    expect(await raw(19)).toMatch(/larger than 33554432 bytes/);
  });

  it('drops a 100 MiB field and keeps an 8 MiB one, in bounded memory', async () => {
    expect(Math.max(...received)).toBeLessThan(34 * MIB);
    expect(await query('SELECT length(name)::INTEGER AS n FROM core.companies WHERE company_id = 17')).toEqual([
      { n: 8 * MIB },
    ]);
    expect(await query(`SELECT length(raw)::INTEGER AS n FROM ops.rejects WHERE entity_id = '18'`)).toEqual([
      { n: 10_000 },
    ]);
    // Three bodies of 8 to 32 MiB pass through client, Parquet, load, models and publication.
    expect(grown).toBeLessThan(1_024 * MIB);
  });

  it('distinguishes ids that a double cannot', async () => {
    expect(await company(BIG)).toMatchObject({ company_id: BIG, name: 'beyond doubles' });
    const members = await query('SELECT company_id FROM core.companies WHERE company_id > 1000 ORDER BY 1');
    expect(members.map((row) => row['company_id'])).toEqual(['9007199254740992', BIG]);
    expect(await query(`SELECT reason, path FROM ops.rejects WHERE stream = 'prospecting' ORDER BY path`)).toEqual([
      { reason: 'unusable_id', path: '$.data[2]' },
      { reason: 'duplicate_key', path: '$.data[3]' },
    ]);
  });

  it('keeps finite numbers and text and rejects the rest by path', async () => {
    const values = await query(
      'SELECT fiscal_year::INTEGER AS y, indicator AS i, value_double AS d, value_text AS t FROM core.financials ORDER BY y, i',
    );
    expect(values).toEqual([
      { y: 2020, i: 'Turnover', d: 1.2345678901234568e29, t: null },
      { y: 2023, i: 'Currency', d: null, t: '=1+1' },
      { y: 2023, i: 'Gross-Profit', d: -0.5, t: '-0.5' },
      { y: 2023, i: 'New\u0000"\\Indicator', d: null, t: "'; --" },
      { y: 2023, i: 'Turnover', d: -1e300, t: null },
    ]);
    expect(await rejectsOf(`stream = 'financials'`)).toEqual(
      [
        'not_a_year $.""',
        String.raw`not_a_year $."\\"`,
        'not_a_year $."2021x"',
        'not_a_year $."9999"',
        'not_an_object $."2021"',
        'not_finite $."2023"."EBITDA"',
        'not_a_number $."2023"."Cash"',
        'wrong_type $."2022"."Turnover"',
        'wrong_type $."2023"."Employee-Numbers"',
      ].toSorted(),
    );
  });

  it('uses API values in no file name and no SQL', async () => {
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => !/^[A-Za-z0-9_=./-]+$/.test(name))).toEqual([]);
    expect(await query('SELECT slug FROM core.tenders ORDER BY 1')).toEqual([
      { slug: '../../../../tmp/x' },
      { slug: `a'b"c\u0000/..` },
    ]);
    expect((await query('SELECT list FROM core.nomenclatures ORDER BY 1')).map(({ list }) => list)).toEqual([
      '../..',
      'x"; DROP TABLE ledger.rejects; --',
    ]);
  });

  it('escapes formulas in CSV and control characters in tables, but not in JSON', async () => {
    const names = 'SELECT name, registration_number, vat_number FROM core.companies WHERE company_id';
    expect(await tidemark('sql', '--format', 'csv', `${names} = 6`)).toBe(
      `name,registration_number,vat_number\r\n"'=cmd|' /C calc'!A0",+4512345678,-7\r\n`,
    );
    const table = await tidemark('sql', `SELECT name FROM core.companies WHERE company_id IN (1, 2, 7)`);
    // oxlint-disable-next-line no-control-regex -- that there is none is the point
    expect(table).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(table).toContain(String.raw`\u001b]0;title\u0007`);
    expect(table).toContain(String.raw`\u202eevil`);
    const json = await tidemark('sql', '--format', 'json', `${names} IN (2, 7) ORDER BY company_id`);
    expect((JSON.parse(json) as { name: string }[]).map(({ name }) => name)).toEqual([
      'a\u0000b',
      '\u001b]0;title\u0007\u001b[2J\u009b31m',
    ]);
  });
});
