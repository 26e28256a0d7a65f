import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RatesSource } from '../../../../src/config/rates-source.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { loadRates } from '../../../../src/warehouse/rates/load-rates.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { becomeWriter } from '../../../../src/warehouse/duckdb/writer.js';
import { Data, type SharedData } from '../../../../src/store/data.js';
import { makeMachines } from '../../store/machines.js';
import { land, openTestWarehouse, temporaryDataDir } from '../../../helpers/warehouse.js';

const RATES = 'SELECT date, currency, rate FROM core.fx_rates ORDER BY ALL';
const REFUSED = 'SELECT line, currency, rate, reason FROM ledger.fx_refused ORDER BY ALL';
const AMOUNTS = 'SELECT company_id, fiscal_year, turnover_eur FROM marts.company_years ORDER BY ALL';

function report(company: number, year: number, currency: string, turnover: number) {
  return {
    stream: 'financials' as const,
    entity: String(company),
    body: { [year]: { Currency: currency, Turnover: turnover } },
  };
}

/** A warehouse with three reports, a file of rates that `write` fills, and `build`, which returns the notes. */
async function setUp(fx: Partial<RatesSource> = {}) {
  const dataDir = temporaryDataDir();
  await land(dataDir, [report(1, 2023, 'USD', 8), report(2, 2023, 'GBP', 9), report(3, 2024, 'USD', 10)]);
  const warehouse = await openTestWarehouse(dataDir);
  await loadLanding(warehouse, new Data(dataDir));
  const file = path.join(dataDir, 'rates.csv');
  const source = { file, name: './rates.csv', data: new Data(dataDir), base: 'EUR', reporting: 'EUR', ...fx };
  return {
    dataDir,
    db: warehouse.db,
    source,
    write: (text: string): void => writeFileSync(file, text),
    build: async (rates: RatesSource | null = source): Promise<string[]> =>
      (await buildModels(warehouse, { rates })).notes,
  };
}

describe('exchange rates', () => {
  test('are read from rows with date, currency and rate', async () => {
    const { db, write, build } = await setUp();
    write('rate,Date,currency\n2,2023-12-29,USD\n0.5,2023-12-29,gbp\n');
    expect(await build()).toEqual([]);
    expect(await db.rows(RATES)).toEqual([
      { date: '2023-12-29', currency: 'GBP', rate: 0.5 },
      { date: '2023-12-29', currency: 'USD', rate: 2 },
    ]);
    expect(await db.rows(AMOUNTS)).toEqual([
      { company_id: '1', fiscal_year: 2023, turnover_eur: 4 },
      { company_id: '2', fiscal_year: 2023, turnover_eur: 18 },
      { company_id: '3', fiscal_year: 2024, turnover_eur: null },
    ]);
  });

  test('are read from one column for each currency, as central banks write them', async () => {
    const { db, write, build } = await setUp();
    write('Date,USD,GBP,BGN,\n2023-12-29,2,0.5,N/A,\n2023-12-28,3,,1.9558,\n');
    expect(await build()).toEqual([]);
    expect(await db.rows(RATES)).toEqual([
      { date: '2023-12-28', currency: 'BGN', rate: 1.9558 },
      { date: '2023-12-28', currency: 'USD', rate: 3 },
      { date: '2023-12-29', currency: 'GBP', rate: 0.5 },
      { date: '2023-12-29', currency: 'USD', rate: 2 },
    ]);
    expect(await db.rows(REFUSED)).toEqual([]);
  });

  test('are read from a Parquet file', async () => {
    const { dataDir, db, source, build } = await setUp();
    const file = path.join(dataDir, 'rates.parquet');
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(
      `COPY (SELECT DATE '2023-12-29' AS date, 'USD' AS currency, CAST(2 AS DECIMAL(10, 4)) AS rate) TO '${file}'`,
    );
    connection.closeSync();
    await build({ ...source, file });
    expect(await db.rows(RATES)).toEqual([{ date: '2023-12-29', currency: 'USD', rate: 2 }]);
  });

  test('leave out rows with a fault, say why, and keep all others', async () => {
    const { db, write, build } = await setUp();
    write(
      [
        'date,currency,rate',
        '2023-12-29,USD,2',
        '29/12/2023,USD,2',
        '2023-12-29,dollar,2',
        '2023-12-29,SEK,"11,5"',
        '2023-12-29,NOK,0',
        '2023-12-29,EUR,2',
        '2023-12-29,GBP,0.5',
        '2023-12-29,GBP,0.6',
        '2023-12-29,USD,2',
      ].join('\n'),
    );
    await build();
    expect(await db.rows(RATES)).toEqual([{ date: '2023-12-29', currency: 'USD', rate: 2 }]);
    expect(await db.rows(REFUSED)).toEqual([
      { line: '2', currency: 'USD', rate: '2', reason: 'the date is not a date like 2026-11-30' },
      { line: '3', currency: 'DOLLAR', rate: '2', reason: 'the currency is not a code of three letters like USD' },
      { line: '4', currency: 'SEK', rate: '11,5', reason: 'the rate is not a number with a decimal point like 1.0845' },
      { line: '5', currency: 'NOK', rate: '0', reason: 'the rate is not above 0' },
      { line: '6', currency: 'EUR', rate: '2', reason: 'the rate of the base currency is not 1' },
      { line: '7', currency: 'GBP', rate: '0.5', reason: 'the file has another rate of the same day' },
      { line: '8', currency: 'GBP', rate: '0.6', reason: 'the file has another rate of the same day' },
    ]);
    const checks = `SELECT failing_rows FROM ops.checks WHERE model = 'core.fx_rates' AND "check" = 'refused_row'`;
    expect(await db.rows(checks)).toEqual([{ failing_rows: '7' }]);
  });

  test('stay in use if the file is missing or has other columns, with a note', async () => {
    const { db, source, write, build } = await setUp();
    write('date,currency,rate\n2023-12-29,USD,2\n');
    await build();
    write('day,usd\n2023-12-29,2\n');
    expect(await build()).toEqual([
      'The exchange rates in ./rates.csv could not be read: it has the columns day, usd; it needs date, currency and rate, or date and one column for each currency (USD, GBP and so on). The rates that were read before stay in use.',
    ]);
    expect(await build({ ...source, file: `${source.file}.gone` })).toEqual([
      'The exchange rates in ./rates.csv could not be read: there is no such file. The rates that were read before stay in use.',
    ]);
    expect(await db.rows(RATES)).toHaveLength(1);
  });

  test('change only the amounts that they concern', async () => {
    const { db, write, build } = await setUp();
    const changed = `SELECT DISTINCT key FROM ledger.changed_keys WHERE model = 'marts.company_years' AND build = (SELECT max(build) FROM ledger.model_builds) ORDER BY ALL`;
    write('date,currency,rate\n2023-12-29,USD,2\n');
    await build();
    write('date,currency,rate\n2023-12-29,USD,2\n2024-12-31,USD,5\n');
    await build();
    expect(await db.rows(changed)).toEqual([{ key: '{"company_id":3}' }]);
    expect(await db.rows(AMOUNTS)).toEqual([
      { company_id: '1', fiscal_year: 2023, turnover_eur: 4 },
      { company_id: '2', fiscal_year: 2023, turnover_eur: null },
      { company_id: '3', fiscal_year: 2024, turnover_eur: 2 },
    ]);
  });

  test('are removed with the setting', async () => {
    const { db, write, build } = await setUp();
    write('date,currency,rate\n2023-12-29,USD,2\n');
    await build();
    await build(null);
    expect(await db.rows(RATES)).toEqual([]);
    expect(await db.count('SELECT count(turnover_eur) FROM marts.company_years')).toBe(0);
  });

  test('count the currencies and years without a rate in ops.checks', async () => {
    const { db, write, build } = await setUp();
    const checks = `SELECT failing_rows FROM ops.checks WHERE model = 'marts.company_years' AND "check" = 'no_rate'`;
    await build(null);
    expect(await db.rows(checks)).toEqual([{ failing_rows: '0' }]);
    write('date,currency,rate\n2023-12-29,USD,2\n');
    await build();
    expect(await db.rows(checks)).toEqual([{ failing_rows: '2' }]);
  });

  test('are a note, not wrong rows, while the file has none', async () => {
    const { db, write, build } = await setUp();
    write('date,currency,rate\n');
    const note = expect.stringMatching(/has no exchange rate, so no amount is converted\.$/) as string;
    expect(await build()).toEqual([note]);
    expect(await build()).toEqual([note]);
    const checks = `SELECT failing_rows FROM ops.checks WHERE model = 'marts.company_years' AND "check" = 'no_rate'`;
    expect(await db.rows(checks)).toEqual([{ failing_rows: '0' }]);
    write('date,currency,rate\n2023-12-29,USD,2\n');
    expect(await build()).toEqual([]);
    expect(await db.rows(checks)).toEqual([{ failing_rows: '2' }]);
  });

  test('come from a web address, and from the last download while the address fails', async () => {
    let answer = { status: 200, body: 'date,currency,rate\n2023-12-29,USD,2\n' };
    const server = createServer((_, response) => response.writeHead(answer.status).end(answer.body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rates.csv`;
    const { db, build } = await setUp({ file: address, name: address });
    expect(await build()).toEqual([]);
    answer = { status: 503, body: 'down' };
    expect(await build()).toEqual([
      `The exchange rates could not be downloaded from ${address}: the server answered with status 503. The last download stays in use.`,
    ]);
    expect(await db.rows(RATES)).toEqual([{ date: '2023-12-29', currency: 'USD', rate: 2 }]);
  });

  test('come from the last download of another machine while the server fails', async () => {
    let status = 200;
    const server = createServer((_, response) =>
      response.writeHead(status).end('date,currency,rate\n2023-12-29,USD,2\n'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rates.csv`;
    const [first, second] = (await makeMachines(2)) as [SharedData, SharedData];
    const notesOf = async (copy: SharedData): Promise<string[]> => {
      const { dataDir } = copy;
      const { lease } = await becomeWriter(copy, { what: 'a test' });
      const { db } = await openTestWarehouse(dataDir);
      const source = { file: address, name: address, data: copy, base: 'EUR', reporting: 'EUR' };
      const { notes } = await loadRates(db, source);
      expect(await db.count('SELECT count(*) FROM ledger.fx_rates')).toBe(1);
      await lease.release();
      return notes;
    };
    expect(await notesOf(first)).toEqual([]);
    status = 503;
    expect(await notesOf(second)).toEqual([expect.stringContaining('The last download stays in use.')]);
  });

  test('are not read again until the file changes', async () => {
    const { db, source, write, build } = await setUp();
    write('date,currency,rate\n2023-12-29,USD,2\n');
    await build();
    // Change the rates in the ledger by hand: only a build that reads the file restores them.
    await db.run('UPDATE ledger.fx_rates SET rate = 3');
    await build();
    expect(await db.rows(RATES)).toEqual([{ date: '2023-12-29', currency: 'USD', rate: 3 }]);
    await build({ ...source, reporting: 'USD' });
    expect(await db.rows('SELECT DISTINCT reporting_currency AS c FROM marts.company_years')).toEqual([{ c: 'USD' }]);
    write('date,currency,rate\n2023-12-29,USD,4\n');
    await build();
    expect(await db.rows(RATES)).toEqual([{ date: '2023-12-29', currency: 'USD', rate: 4 }]);
  });

  test('are not downloaded again while the server says that the file is the same', async () => {
    const asked: (string | undefined)[] = [];
    let body = 'date,currency,rate\n2023-12-29,USD,2\n';
    const server = createServer((request, response) => {
      const tag = `"${body.length}"`;
      asked.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === tag) response.writeHead(304).end();
      else response.writeHead(200, { etag: tag }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rates.csv`;
    const { db, build } = await setUp({ file: address, name: address });
    for (let i = 0; i < 2; i++) expect(await build()).toEqual([]);
    body += '2023-12-28,USD,3\n';
    expect(await build()).toEqual([]);
    expect(asked).toEqual([undefined, '"36"', '"36"']);
    expect(await db.count('SELECT count(*) FROM core.fx_rates')).toBe(2);
  });

  test('do not come from a server that redirects to plain http on another machine', async () => {
    const server = createServer((_, response) =>
      response.writeHead(302, { location: 'http://rates.invalid/rates.csv' }).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rates.csv`;
    const { build } = await setUp({ file: address, name: address });
    expect(await build()).toEqual([
      expect.stringContaining('redirects to plain http (http://rates.invalid/rates.csv)'),
    ]);
  });
});
