import { createWriteStream, realpathSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { once } from 'node:events';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { createWorld, type World } from '../../sandbox/world/index.js';
import { publishedFile } from '../../src/store/data-folder.js';
import { quote } from '../../src/warehouse/duckdb/sql-files.js';
import { publishAnswers, twoNights } from '../../test/helpers/explorer.js';

const START = '2026-11-20';

/**
 * Publishes a small market, then replaces its companies by those of the sandbox's market of this size. Only
 * `core.companies` and `marts.companies` get these rows: the search and the groups of the markets read them.
 * @returns names of some companies, as a user may type them
 */
export async function publishMarket(dataDir: string, companies: number, names: number): Promise<string[]> {
  await publishAnswers(
    dataDir,
    twoNights((id) => `Company ${id}`),
    'r2',
    '2026-11-21T04:00:00Z',
  );
  const world = createWorld({ companies, tenders: 1, seed: 41, date: START });
  const ids = world.companyIds(0);
  const records = path.join(dataDir, 'companies.ndjson');
  await writeRecords(records, world, ids);
  const instance = await DuckDBInstance.create(realpathSync(publishedFile(dataDir)));
  const connection = await instance.connect();
  await connection.run(`CREATE TEMP TABLE records AS FROM read_json(${quote(records)}, format = 'newline_delimited')`);
  // Both are views. A table of the same name has the same columns.
  for (const view of ['core.companies', 'marts.companies'])
    await connection.run(
      `CREATE TABLE ${view}_rows AS FROM ${view} LIMIT 0; DROP VIEW ${view}; ALTER TABLE ${view}_rows RENAME TO companies`,
    );
  await connection.run(
    `INSERT INTO core.companies BY NAME SELECT id AS company_id, name, country_code, registration_number, vat_number,
       address_city, brands, employees_max FROM records`,
  );
  await connection.run(
    `INSERT INTO marts.companies BY NAME SELECT id AS company_id, name, country_code, status, true AS in_market, industry,
       legal_form, employees_max, employees_min, turnover_growth FROM records`,
  );
  await connection.run('DROP TABLE records');
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
  const step = Math.max(1, Math.floor(ids.length / names));
  return ids.flatMap((id, i) => (i % step === 0 ? [world.companyName(id, 0) ?? ''] : [])).filter((name) => name !== '');
}

/** Writes what both tables need of each company, one JSON object per line. */
async function writeRecords(file: string, world: World, ids: readonly number[]): Promise<void> {
  const stream = createWriteStream(file);
  for (const [i, id] of ids.entries()) {
    const record = world.company(id, 0) as Record<string, unknown> | undefined;
    const line = JSON.stringify({
      id,
      name: record?.['name'] ?? world.companyName(id, 0),
      country_code: record?.['country_code'] ?? null,
      registration_number: record?.['registration_number'] ?? null,
      vat_number: record?.['vat_number'] ?? null,
      address_city: record?.['address_city'] ?? null,
      brands: Array.isArray(record?.['brands']) ? record['brands'] : [],
      status: record?.['status'] ?? null,
      industry: firstText(record?.['industry_focus']),
      legal_form: firstText(record?.['legal_form']),
      employees_min: (i % 997) * 3,
      employees_max: (i % 997) * 3 + 9,
      turnover_growth: ((i % 200) - 90) / 100,
    });
    if (!stream.write(`${line}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

function firstText(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') return first;
  const named = typeof first === 'object' && first !== null ? (first as { value?: unknown }).value : null;
  return typeof named === 'string' ? named : null;
}
