import { DuckDBInstance, type Json } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { publishedFile } from '../../../../src/store/data-folder.js';
import { readFunctions } from '../../../../src/warehouse/models/functions.js';
import { land, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const v1 = (...reports: [date: number, indicators: Record<string, unknown>][]) => ({
  reports: reports.map(([date, values]) => ({
    date,
    indicators: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])),
  })),
});
const company = (id: number, name: string, status = 'Active') => ({ id, name, status });

/** Three nights in which companies are added and changed, and reports are restated, withdrawn and partly unreadable. */
const NIGHTS: Record<string, [stream: Answer['stream'], entity: string, body: unknown][]> = {
  '2026-11-18': [
    ['companies', '1', company(1, 'A')],
    ['financials', '1', { 2024: { Turnover: 10, Cash: 1, Currency: 'EUR', 'Reported-Date': '2024-12-31' } }],
    ['financials_v1', '1', v1([20_240_331, { Turnover: 4 }])],
  ],
  '2026-11-19': [
    ['companies', '1', company(1, 'A', 'Inactive')],
    ['companies', '2', company(2, 'B')],
    ['financials', '1', { 2024: { Turnover: '11', Cash: 'lots', Currency: 'DKK' }, 2023: { Turnover: 9 } }],
    ['financials', '2', { 2023: { Turnover: 5, 'Reported-Date': '0000-00-00' } }],
    ['financials_v1', '1', v1([20_241_231, { Turnover: 10 }], [20_240_331, { Turnover: 4, Cash: 1 }])],
  ],
  '2026-11-20': [
    ['companies', '2', company(2, 'B & Co')],
    ['financials', '1', { 2024: { Turnover: 11 } }],
    ['financials', '2', {}],
    ['financials_v1', '1', v1([20_240_331, { Turnover: 3 }])],
  ],
};

const COMPANIES = 'SELECT company_id, name, status FROM core.companies ORDER BY ALL';
const FINANCIALS = `SELECT company_id, fiscal_year, indicator, value_double, value_text, currency, reported_date, source
  FROM core.financials ORDER BY ALL`;
const asOf = (sql: string, moment: string) => sql.replace(/core\.(\w+)/, `core.$1_as_of(${moment})`);

describe('as_of functions of the published file', () => {
  test("returns each night's tables by its day and its instant", async () => {
    const dataDir = temporaryDataDir();
    const warehouse = await openTestWarehouse(dataDir);
    const lived: Record<string, Record<string, unknown>[][]> = {};
    for (const [date, answers] of Object.entries(NIGHTS)) {
      const at = `${date}T23:30:00Z`;
      await land(
        dataDir,
        answers.map(([stream, entity, body]) => ({ stream, entity, body, at, date, run: date })),
      );
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse);
      lived[date] = [await warehouse.db.rows(COMPANIES), await warehouse.db.rows(FINANCIALS)];
    }
    await publish(warehouse, dataDir, { run: 'r', now: new Date('2026-11-21T00:00:00Z') });

    const query = await openAsAnalystsDo(publishedFile(dataDir));
    const told = async (moment: string) => [
      await query(asOf(COMPANIES, moment)),
      await query(asOf(FINANCIALS, moment)),
    ];
    for (const date of Object.keys(NIGHTS)) {
      expect(lived[date]?.flat().length).toBeGreaterThan(3);
      expect(await told(`DATE '${date}'`)).toEqual(lived[date]);
      expect(await told(`'${date}'`)).toEqual(lived[date]);
      expect(await told(`TIMESTAMPTZ '${date} 23:30:00+00'`)).toEqual(lived[date]);
    }
    expect(await told(`'2026-11-19 23:29:59+00'`)).toEqual(lived['2026-11-18']);
    for (const moment of [`'2026-11-17'`, `DATE '2026-11-17'`, `'2026-11-18 23:29:59+00'`])
      await expect(told(moment)).rejects.toThrow('its data begins at 2026-11-18 23:30:00 UTC.');
    expect(await told('now()')).toEqual(lived['2026-11-20']);
    const functions = await query(
      `SELECT DISTINCT schema_name || '.' || function_name AS name, comment FROM duckdb_functions() WHERE schema_name = 'core'`,
    );
    expect(functions.map(({ name }) => name as string).toSorted()).toEqual(
      readFunctions()
        .map((each) => each.function)
        .toSorted(),
    );
    expect(functions.filter(({ comment }) => !(comment as string).includes('Parameters: moment'))).toEqual([]);
  });

  test('works under any alias of an attached file, and never reads another file', async () => {
    const files: string[] = [];
    for (const name of ['A', 'B']) {
      const dataDir = temporaryDataDir();
      const warehouse = await openTestWarehouse(dataDir);
      await land(dataDir, [
        {
          stream: 'companies',
          entity: '1',
          body: company(1, name),
          at: '2026-11-18T02:00:00Z',
          date: '2026-11-18',
          run: 'r',
        },
        {
          stream: 'financials',
          entity: '1',
          body: { 2024: { Turnover: 1 } },
          at: '2026-11-18T02:00:00Z',
          date: '2026-11-18',
          run: 'r',
        },
      ]);
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse);
      await publish(warehouse, dataDir, { run: 'r', now: new Date('2026-11-21T00:00:00Z') });
      files.push(publishedFile(dataDir));
    }
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
    const aliases = ['wh', 'my wh', 'market'];
    for (const alias of aliases) {
      await connection.run(`ATTACH '${files[0]}' AS "${alias}" (READ_ONLY)`);
      const db = `db := '${alias}'`;
      const companies = `"${alias}".core.companies_as_of('2026-11-18', ${db})`;
      expect(await query(`SELECT name FROM ${companies}`)).toEqual([{ name: 'A' }]);
      expect(
        await query(`SELECT value_double FROM "${alias}".core.financials_as_of('2026-11-18', ${db})`),
      ).toHaveLength(1);
      await expect(query(`FROM "${alias}".core.companies_as_of('2026-11-17', ${db})`)).rejects.toThrow(
        'its data begins at',
      );
      // All functions and views of the file, also one that is added later.
      const functions = await query(
        `SELECT DISTINCT function_name AS name, function_type AS type FROM duckdb_functions()
         WHERE database_name = '${alias}' AND NOT internal`,
      );
      expect(functions).toHaveLength(readFunctions().length);
      for (const { name, type } of functions)
        await query(
          `${type === 'table_macro' ? 'FROM' : 'SELECT'} "${alias}".core.${name as string}('2026-11-18', ${db})`,
        );
      const views = await query(
        `SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = '${alias}' AND NOT internal`,
      );
      for (const view of views)
        await query(`FROM "${alias}".${view['schema_name'] as string}.${view['view_name'] as string}`);
      await connection.run(`USE "${alias}"`);
      expect(await query(`SELECT name FROM core.companies_as_of('2026-11-18')`)).toEqual([{ name: 'A' }]);
      await connection.run(`USE memory; DETACH "${alias}"`);
    }
    // Without `db`, a function reads the default database. It refuses another build than its own.
    await connection.run(`ATTACH '${files[0]}' AS old (READ_ONLY); ATTACH '${files[1]}' AS new (READ_ONLY); USE new`);
    expect(await query(`SELECT name FROM core.companies_as_of('2026-11-18')`)).toEqual([{ name: 'B' }]);
    expect(await query(`SELECT name FROM old.core.companies_as_of('2026-11-18', db := 'old')`)).toEqual([
      { name: 'A' },
    ]);
    for (const call of [
      `old.core.companies_as_of('2026-11-18')`,
      `old.core.financials_as_of('2026-11-18', db := 'new')`,
    ])
      await expect(query(`FROM ${call}`)).rejects.toThrow('belongs to another build');
  });
});

/** Opens the file as analysts do: next to a database of theirs, in another time zone. */
async function openAsAnalystsDo(file: string): Promise<(sql: string) => Promise<Record<string, Json>[]>> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'Asia/Tokyo'; ATTACH '${file}' AS wh (READ_ONLY); USE wh`);
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
}
