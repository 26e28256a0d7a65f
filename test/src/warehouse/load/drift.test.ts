import { describe, expect, test } from 'vitest';
import { createApiClient } from '../../../../src/api/index.js';
import { rowOf } from '../../../../src/crawl/records/answer.js';
import { landRows } from '../../../../src/landing/index.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { describeDrift } from '../../../../src/warehouse/models/describe-drift.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { memoryLimit } from '../../../../src/warehouse/duckdb/memory-limit.js';
import { type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { startApp } from '../../../sandbox/running.js';
import { buildFrom, land, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const DRIFT = 'SELECT path, kind, type, expected, bodies, share, sample FROM ops.drift ORDER BY path, kind, type';

const company = (id: number, more: object = {}, run = 'r1', at?: string): Answer => ({
  stream: 'companies',
  entity: String(id),
  body: { id, name: `C${id}`, ...more },
  run,
  at,
});

async function driftOf(warehouse: Warehouse): Promise<Record<string, unknown>[]> {
  return warehouse.db.rows(DRIFT);
}

describe('ops.drift', () => {
  test('finds new fields, changed types and missing fields in sandbox answers', async () => {
    const app = await startApp({ companies: 1500, tenders: 0, drift: ['field', 'type', 'missing'] });
    const client = createApiClient({ baseUrl: app.url, apiKey: app.sandbox.options.key });
    const dataDir = temporaryDataDir();
    const target = { data: new Data(dataDir), run: 'r1', date: '2026-11-20', market: 'm', chunk: 'c' } as const;
    try {
      const pages = await Promise.all(
        [...Array(10).keys()].map((i) => client.v2.prospecting({ page: i + 1, per_page: 12 })),
      );
      const ids = pages.flatMap((page) => page.data.data.map((row) => row?.id ?? 0));
      const companies = await Promise.all(ids.map((id) => client.v2.company(id)));
      const reports = await Promise.all(ids.map((id) => client.v2.financial(id)));
      const first = await Promise.all(ids.map((id) => client.v1.financial(id)));
      await landRows(
        { ...target, stream: 'prospecting' },
        pages.map((page) => rowOf(page, null, 's')),
      );
      await landRows(
        { ...target, stream: 'companies' },
        companies.map((record, i) => rowOf(record, String(ids[i]), 's')),
      );
      await landRows(
        { ...target, stream: 'financials' },
        reports.map((report, i) => rowOf(report, String(ids[i]), 's')),
      );
      await landRows(
        { ...target, stream: 'financials_v1' },
        first.map((report, i) => rowOf(report, String(ids[i]), 's')),
      );
    } finally {
      await client.close();
      await app.close();
    }
    const warehouse = await openTestWarehouse(dataDir);
    expect(await loadLanding(warehouse, new Data(dataDir))).not.toHaveProperty('driftFault');
    await buildModels(warehouse);
    const rows = await warehouse.db.rows(
      `SELECT concat_ws(' ', route, path, kind, type) AS what, expected, share, sample FROM ops.drift ORDER BY ALL`,
    );
    const always = { share: 1, sample: null, expected: null };
    const some = { ...always, share: expect.closeTo(0.7, 0) };
    expect(
      rows.map((row) =>
        row.what === 'GET /v2/financial/{id} $.*.Cash changed type object' ? { what: row.what } : row,
      ),
    ).toEqual([
      { ...some, what: 'GET /v1/finder/company/financial $.reports[].currency new field string', sample: '"EUR"' },
      {
        ...some,
        what: 'GET /v1/finder/company/financial $.reports[].modifyDate changed type string',
        expected: 'number',
        sample: expect.stringMatching(/^"\d+"$/),
      },
      {
        ...always,
        what: 'GET /v1/finder/company/financial $.reports[].sourceProcessedDate missing',
        expected: 'number',
      },
      { ...always, what: 'GET /v2/companies/{id} $.climate_rating new field string', sample: '"B+"' },
      { ...always, what: 'GET /v2/companies/{id} $.company_legal_form missing', expected: 'string' },
      { ...always, what: 'GET /v2/companies/{id} $.group new field object' },
      {
        ...always,
        what: 'GET /v2/companies/{id} $.zip_code changed type number',
        expected: 'string',
        sample: expect.stringMatching(/^\d+$/),
      },
      {
        what: 'GET /v2/financial/{id} $.*.Carbon-Tonnes new field number',
        expected: null,
        share: expect.closeTo(0.7, 0),
        sample: '12.5',
      },
      { what: 'GET /v2/financial/{id} $.*.Cash changed type object' },
      { ...always, what: 'POST /v2/prospecting $.data[].name missing', expected: 'string' },
      { ...always, what: 'POST /v2/prospecting $.data[].rank new field number', sample: '1' },
      {
        ...always,
        what: 'POST /v2/prospecting $.total_pages changed type string',
        expected: 'number',
        sample: expect.stringMatching(/^"\d+"$/),
      },
    ]);
    // Postal codes are loaded although they came as numbers. New fields are in the landing zone.
    expect(await warehouse.db.count('SELECT count(*) FROM core.companies WHERE zip_code IS NOT NULL')).toBe(120);
    expect(
      await warehouse.db.count(
        `SELECT count(*) FROM read_parquet('${dataDir}/landing/**/*.parquet') WHERE contains(body, 'Carbon-Tonnes')`,
      ),
    ).toBeGreaterThan(50);
    expect(await describeDrift(warehouse.db, 'r1')).toHaveLength(5);
  });

  test('counts bodies of the last run, keeps the first run and describes changes', async () => {
    const dataDir = temporaryDataDir();
    const [first, second] = ['2026-11-20T02:00:00.000Z', '2026-11-21T02:00:00.000Z'];
    await land(dataDir, [company(1, { rating: 'A' }, 'r1', first), company(2, {}, 'r1', first)]);
    await land(
      dataDir,
      [1, 2, 3, 4].map((id) => company(id, id < 4 ? { rating: 'B' } : { name: 7 }, 'r2', second)),
    );
    const warehouse = await openTestWarehouse(dataDir);
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse);
    expect(await driftOf(warehouse)).toEqual(
      [
        {
          path: '$.name',
          kind: 'changed type',
          type: 'number',
          expected: 'string',
          bodies: '1',
          share: 0.25,
          sample: null,
        },
        {
          path: '$.rating',
          kind: 'new field',
          type: 'string',
          expected: null,
          bodies: '3',
          share: 0.75,
          sample: '"A"',
        },
      ].map((row) => (row.path === '$.name' ? { ...row, sample: '7' } : row)),
    );
    expect(await warehouse.db.rows('SELECT first_run, last_run FROM ops.drift ORDER BY path')).toEqual([
      { first_run: 'r2', last_run: 'r2' },
      { first_run: 'r1', last_run: 'r2' },
    ]);
    expect(await describeDrift(warehouse.db, 'r2')).toEqual([
      '$.name is number instead of string in 25 % of the answers of GET /v2/companies/{id}.',
      'New field $.rating (string) in 75 % of the answers of GET /v2/companies/{id}, as before.',
    ]);
    expect(await describeDrift(warehouse.db, 'r1')).toEqual([]);
  });

  test('accepts declared types, null and empty objects, and looks into lists', async () => {
    const found = async (more: object): Promise<unknown[]> => {
      const rows = await driftOf(await buildFrom([company(1, more)]));
      return rows.map(({ path, kind, type }) => `${String(path)} ${String(kind)} ${String(type)}`);
    };
    const declared = { size: 7, name: null, sic: [{ id: '1', value: null }], industry: [null], company_phone: [] };
    expect(await found(declared)).toEqual([]);
    const odd = {
      name: 5,
      rating: 'A',
      group: { head: { name: 'x' } },
      brands: ['a'],
      status: [],
      company_phone: ['1', 2],
      sic: [{ id: 1, valid: true, value: { text: 'x' } }, { id: null }],
    };
    expect(await found(odd)).toEqual([
      '$.brands changed type array',
      '$.company_phone[] changed type mixed',
      '$.group new field object',
      '$.name changed type number',
      '$.rating new field string',
      '$.sic[].valid new field boolean',
      '$.sic[].value changed type object',
      '$.status changed type array',
    ]);
  });

  test('shortens samples, escapes them and omits personal data', async () => {
    const warehouse = await buildFrom([
      company(1, {
        grade: 'B+',
        odd: `x\u202e${'y'.repeat(100)}`,
        note: 'a@b.example',
        director_name: 'Ann',
        mobile: '+45 1',
      }),
      { stream: 'tender_details', entity: 's', body: { slug: 's', title: 4 } },
    ]);
    const samples = await warehouse.db.rows('SELECT path, sample FROM ops.drift ORDER BY path');
    expect(Object.fromEntries(samples.map(({ path, sample }) => [path, sample]))).toEqual({
      '$.director_name': null,
      '$.grade': '"B+"',
      '$.mobile': null,
      '$.note': null,
      '$.odd': String.raw`"x\u202e${'y'.repeat(57)}…`,
      '$.title': null,
    });
  });

  test('looks into v1 reports without listing indicator names', async () => {
    const item = { value: 5, processedTime: 1.7e9, progress: 0 };
    const report = { date: 20231231, modifyDate: 1.7e9, sourceProcessedDate: 20240101 };
    const answer = (id: number, ...reports: unknown[]): Answer => ({
      stream: 'financials_v1',
      entity: String(id),
      body: { companyId: id, country: 'AT', reports },
      request: 'GET /v1/finder/company/financial',
    });
    const plain = { ...report, indicators: { Turnover: item, 'Never-Heard-Of': item } };
    const warehouse = await buildFrom([
      answer(1, plain),
      answer(2, plain, {
        ...report,
        currency: 'EUR',
        modifyDate: 'today',
        indicators: { Cash: { ...item, unit: 'EUR' } },
      }),
      answer(3, { ...report, indicators: { Cash: { ...item, value: '5' }, Stock: { value: null } } }),
      answer(7, { ...report, indicators: { Turnover: 7 } }),
      answer(4, { ...report, indicators: [] }, 'none'),
      { ...answer(5), body: '{"reports": {"a": 1}}' },
      { ...answer(6), body: '[]' },
    ]);
    const rows = await warehouse.db.rows(
      `SELECT path, kind, type, bodies, sample FROM ops.drift WHERE stream = 'financials_v1' ORDER BY ALL`,
    );
    expect(rows.map(({ path, kind, type, bodies, sample }) => [path, kind, type, bodies, sample].join(' '))).toEqual([
      '$ changed type array 1 ',
      '$.reports changed type object 1 ',
      '$.reports[].currency new field string 1 "EUR"',
      '$.reports[].indicators changed type array 1 ',
      '$.reports[].indicators.* changed type number 1 7',
      '$.reports[].indicators.*.unit new field string 1 "EUR"',
      '$.reports[].indicators.*.value changed type string 1 "5"',
      '$.reports[].modifyDate changed type string 1 "today"',
    ]);
  });

  test('reports a v1 field that 100 reports lack', async () => {
    const warehouse = await buildFrom(
      [...Array(100).keys()].map((id) => ({
        stream: 'financials_v1' as const,
        entity: String(id + 1),
        body: { companyId: id + 1, country: 'AT', reports: [{ date: 20231231, indicators: {}, modifyDate: 1.7e9 }] },
        request: 'GET /v1/finder/company/financial',
      })),
    );
    expect(await driftOf(warehouse)).toMatchObject([
      { path: '$.reports[].sourceProcessedDate', kind: 'missing', bodies: '100', share: 1 },
    ]);
  });

  test('does not miss the names of contacts that were removed before landing', async () => {
    const warehouse = await buildFrom(
      [...Array(100).keys()].map((n) => ({
        stream: 'tender_details' as const,
        entity: `t${n}`,
        body: { slug: `t${n}`, contacts: { email: [{ type: 'email', id: n }], mobile: [{ type: 'mobile' }] } },
        request: 'GET /v1/finder/tenders/details',
      })),
    );
    const missing = (await driftOf(warehouse)).filter(({ path }) => String(path).startsWith('$.contacts.'));
    expect(missing.map(({ path }) => path)).toEqual(['$.contacts.mobile[].id', '$.contacts.name']);
  });

  test('survives hostile bodies and invalid answers', async () => {
    const keys = [
      '',
      '"',
      '\\',
      "'; DROP TABLE ledger.shapes; --",
      '<script>',
      'a\u0000b',
      '\u202e',
      'x'.repeat(5000),
      '$.*',
      '[]',
    ];
    const odd = Object.fromEntries(keys.map((key, i) => [key, i]));
    const many = Object.fromEntries([...Array(3000).keys()].map((i) => [`k${i}`, { deep: [[[i]]] }]));
    const warehouse = await buildFrom([
      company(1, odd),
      company(2, { sic: [[1]], industry: { a: 1 } }),
      company(3, many),
      { stream: 'companies', entity: '4', body: '[1, 2]' },
      { stream: 'companies', entity: '5', body: 'null' },
      { stream: 'companies', entity: '6', body: '<html>' },
      { stream: 'companies', entity: '7', body: '{"id": 7, "id": 8}' },
      { stream: 'companies', entity: '8', status: 404, body: '{"detail": "Not found."}' },
      {
        stream: 'financials',
        entity: '1',
        body: { '2021': { ...odd, Turnover: { a: 1 } }, '2022': [1], '2023': null, x: 3 },
      },
      { stream: 'financials', entity: '2', body: '[]' },
      {
        stream: 'nomenclatures',
        entity: 'v1',
        body: { regions: { '1': 'A' }, extra: [] },
        request: 'GET /v1/finder/nomenclatures',
      },
      { stream: 'nomenclatures', entity: 'donors', body: { anything: [1] }, request: 'GET /v1/finder/tenders/donors' },
      { stream: 'tender_details', entity: 's', body: { slug: 's', title: 4, contacts: { email: [{ fax: 'a' }] } } },
    ]);
    const rows = await driftOf(warehouse);
    const told = rows.map(({ path, kind, type }) => `${String(path)} ${String(kind)} ${String(type)}`);
    for (const row of [
      '$ changed type array',
      '$."<script>" new field number',
      '$.sic[] changed type array',
      '$.industry changed type object',
      '$.*.Turnover changed type object',
      '$.*."<script>" new field number',
      '$.regions changed type object',
      '$.extra new field array',
      '$.contacts.email[].fax new field string',
    ])
      expect(told).toContain(row);
    expect(rows.find(({ path }) => path === '$.title')).toMatchObject({ sample: null });
    expect(rows.filter(({ path }) => String(path).length > 200)).toEqual([]);
    expect(rows.length).toBeLessThan(150);
    expect(told).toContain('$.… new field mixed');
    expect(told.filter((row) => row.includes('anything'))).toEqual([]);
    expect(await warehouse.db.count('SELECT count(*) FROM core.companies')).toBeGreaterThan(0);
  });

  test('lists 100 new fields per run and route and counts the rest', async () => {
    const fields = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`new_${i}`, i]));
    const dataDir = temporaryDataDir();
    await land(dataDir, [company(1, fields(100), 'r1'), company(2, fields(102), 'r2')]);
    await land(dataDir, [
      { stream: 'nomenclatures', entity: 'donors', body: { anything: [1] }, request: 'GET /v1/finder/tenders/donors' },
    ]);
    const warehouse = await openTestWarehouse(dataDir);
    await loadLanding(warehouse, new Data(dataDir));
    const found = await warehouse.db.rows(
      `SELECT run, path = '$.…' AS is_rest, type, count(*) AS paths, sum(bodies) AS bodies FROM ledger.shapes
       WHERE kind = 'new field' AND stream = 'companies' GROUP BY ALL ORDER BY ALL`,
    );
    expect(found).toEqual([
      { run: 'r1', is_rest: false, type: 'number', paths: '100', bodies: '100' },
      { run: 'r2', is_rest: false, type: 'number', paths: '100', bodies: '100' },
      { run: 'r2', is_rest: true, type: 'mixed', paths: '1', bodies: '2' },
    ]);
    // The reference does not list the members of such a body, so `ledger.shapes` names none of them.
    expect(await warehouse.db.rows(`SELECT path, kind FROM ledger.shapes WHERE stream = 'nomenclatures'`)).toEqual([
      { path: '$', kind: 'bodies' },
    ]);
  });

  test('lists a thousand new fields of a route in all runs', async () => {
    const names = (run: number): object =>
      Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`id_${run}_${i}_${'n'.repeat(1_000)}`, i]));
    const nights = Array.from({ length: 15 }, (_, run) => company(run, names(run), `r${String(run).padStart(2, '0')}`));
    const dataDir = temporaryDataDir();
    const warehouse = await openTestWarehouse(dataDir);
    const limit = memoryLimit('no file');
    for (const some of [nights.slice(0, 8), nights.slice(8)]) {
      await land(dataDir, some);
      await loadLanding(warehouse, new Data(dataDir));
    }
    // Each body has 90 KB. A load that copied it for each new field would have raised the limit.
    expect(memoryLimit('no file')).toBe(limit);
    await buildModels(warehouse);
    expect(
      await warehouse.db.rows(
        `SELECT count(*)::INTEGER AS fields, max(length(path))::INTEGER < 120 AS short, count(*) FILTER (path = '$.…')::INTEGER AS rest
         FROM ops.drift WHERE kind = 'new field'`,
      ),
    ).toEqual([{ fields: 1_001, short: true, rest: 1 }]);
  });

  test('loads everything even if finding drift fails', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, [company(1, { rating: 'A' })]);
    const warehouse = await openTestWarehouse(dataDir);
    const counts = await loadLanding(warehouse, new Data(dataDir), {
      drift: (db) => db.run("SELECT error('broken')"),
    });
    expect(counts).toEqual({ parts: 1, rows: 1, rejects: 0, driftFault: expect.stringContaining('broken') });
    await buildModels(warehouse);
    expect(await warehouse.db.count('SELECT count(*) FROM core.companies')).toBe(1);
  });
});
