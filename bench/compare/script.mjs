// @ts-nocheck: a script as somebody would write it
/*
 * A plain script that somebody could write instead of using Tidemark: reads all companies and their reports, writes each
 * answer as a line of NDJSON, and loads the lines into DuckDB with read_json. It checks nothing, repeats nothing, and
 * starts again after an error.
 *
 * Environment: API_URL, API_KEY, FOLDER (for the results), IN_FLIGHT (requests at the same time), LIMIT (companies to
 * read; all by default).
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Pool } from 'undici';

const { API_URL, API_KEY, FOLDER = '.', IN_FLIGHT = '32', LIMIT = 'Infinity' } = process.env;
const pool = new Pool(API_URL, { connections: Number(IN_FLIGHT) });
const headers = { authorization: `Token ${API_KEY}`, 'content-type': 'application/json' };

async function call(method, route, body) {
  const response = await pool.request({ method, path: route, headers, body: body && JSON.stringify(body) });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} for ${route}: ${text}`);
  return text;
}

/** Calls `work` for each item, with at most IN_FLIGHT calls at the same time. */
async function forEach(items, work) {
  const left = items[Symbol.iterator]();
  const one = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Number(IN_FLIGHT) }, one));
}

async function readIds() {
  const page = async (number) =>
    JSON.parse(await call('POST', '/v1/finder/companies', { page: number, per_page: 100, filters: {} }));
  const first = await page(1);
  const ids = first.data.map(({ id }) => id);
  const others = Array.from({ length: first.pages - 1 }, (_, i) => i + 2);
  await forEach(others, async (number) => void ids.push(...(await page(number)).data.map(({ id }) => id)));
  return ids.slice(0, Number(LIMIT));
}

async function writeAnswers(ids, route, file) {
  const out = createWriteStream(path.join(FOLDER, file));
  await forEach(ids, async (id) => void out.write(`{"company_id":${id},"body":${await call('GET', route(id))}}\n`));
  out.end();
  await once(out, 'finish');
}

async function load() {
  const instance = await DuckDBInstance.create(path.join(FOLDER, 'script.duckdb'));
  const db = await instance.connect();
  await db.run(`CREATE TABLE companies AS SELECT company_id, unnest(body)
    FROM read_json('${path.join(FOLDER, 'companies.ndjson')}', format = 'newline_delimited')`);
  await db.run(`CREATE TABLE financials AS
    SELECT company_id, CAST(year.key AS INTEGER) AS fiscal_year, value.key AS indicator, value.value AS value
    FROM (
      SELECT company_id, year, unnest(map_entries(year.value)) AS value
      FROM (
        SELECT company_id, unnest(map_entries(body)) AS year
        FROM read_json('${path.join(FOLDER, 'financials.ndjson')}', format = 'newline_delimited',
          columns = {company_id: 'BIGINT', body: 'MAP(VARCHAR, MAP(VARCHAR, VARCHAR))'})
      )
    ) WHERE value.value IS NOT NULL`);
  db.closeSync();
  instance.closeSync();
}

const ids = await readIds();
await writeAnswers(ids, (id) => `/v2/companies/${id}`, 'companies.ndjson');
await writeAnswers(ids, (id) => `/v2/financial/${id}`, 'financials.ndjson');
await pool.close();
await load();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
process.stdout.write(`${JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, peakMiB: maxRSS / 1_024 })}\n`);
