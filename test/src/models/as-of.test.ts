import { DuckDBInstance, type Json } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { buildModels } from '../../../src/models/run-models.js';
import { loadLanding } from '../../../src/load/load.js';
import { publish } from '../../../src/publish/publish.js';
import { publishedFile } from '../../../src/core/data-folder.js';
import { readFunctions } from '../../../src/models/functions.js';
import { land, openTestWarehouse, temporaryDataDir, type Answer } from '../../helpers/warehouse.js';

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
      await loadLanding(warehouse, dataDir);
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
});

/** Opens the file as analysts do: next to a database of theirs, in another time zone. */
async function openAsAnalystsDo(file: string): Promise<(sql: string) => Promise<Record<string, Json>[]>> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'Asia/Tokyo'; ATTACH '${file}' AS wh (READ_ONLY); USE wh`);
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
}
