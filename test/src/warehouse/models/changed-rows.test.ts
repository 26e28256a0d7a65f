import { describe, expect, test } from 'vitest';
import type { Database } from '../../../../src/warehouse/duckdb/database.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { countStatements } from '../../../helpers/count-statements.js';
import { land, marketNight, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const NOW = new Date('2026-11-25T04:00:00Z');
const IDS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

describe('the cost of a build', () => {
  test.each([1, 4])('replaces only the rows of %i changed companies, with few statements', async (changed) => {
    const dataDir = temporaryDataDir();
    const warehouse = await openTestWarehouse(dataDir);
    const night = marketNight({ run: 'r0', date: '2026-11-20', ids: IDS });
    await land(dataDir, [...night, ...IDS.flatMap((id) => answers(id, id, '2026-11-20T02:00:00Z'))]);
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse, { now: NOW });

    const ids = IDS.slice(0, changed);
    await land(
      dataDir,
      ids.flatMap((id) => answers(id, id + 100, '2026-11-21T02:00:00Z')),
    );
    await loadLanding(warehouse, new Data(dataDir));
    const before = await readLastRows(warehouse.db);
    const statements = await countStatements(warehouse.db, () => buildModels(warehouse, { now: NOW }));

    // Rows of other companies keep their place in the table.
    const written = await readCompaniesAfter(warehouse.db, before);
    expect(written).toMatchObject({
      'base.report_years': ids,
      'core.companies_history': ids,
      'marts.changes': ids,
      'marts.company_years': ids,
      'marts.financials_wide': ids,
    });
    for (const companies of Object.values(written)) expect(ids).toEqual(expect.arrayContaining(companies));
    // The number of statements does not depend on the number of companies.
    expect(statements).toBeLessThanOrEqual(3 * (await readModels()).length);
  });
});

function answers(id: number, value: number, at: string): Answer[] {
  const report = (turnover: number) => ({ Turnover: turnover, Currency: 'EUR' });
  return [
    { stream: 'companies', entity: String(id), at, body: { id, name: `Name ${value}` } },
    { stream: 'financials', entity: String(id), at, body: { 2024: report(value), 2023: report(1) } },
    {
      stream: 'financials_v1',
      entity: String(id),
      at,
      body: { companyId: id, country: 'DK', reports: [{ date: 20_241_231, indicators: { Turnover: { value } } }] },
    },
  ];
}

/** Largest row id of each incremental table that is built by company. */
async function readLastRows(db: Database): Promise<Map<string, number>> {
  const last = new Map<string, number>();
  for (const { model, incremental } of await readModels())
    if (incremental?.by.join() === 'company_id')
      last.set(model, await db.count(`SELECT coalesce(max(rowid), -1) FROM ${model}`));
  return last;
}

/** Companies of the rows that were inserted after `last`. */
async function readCompaniesAfter(db: Database, last: ReadonlyMap<string, number>): Promise<Record<string, number[]>> {
  const written: Record<string, number[]> = {};
  for (const [model, row] of last) {
    const rows = await db.rows<{ company_id: string }>(
      `SELECT DISTINCT company_id FROM ${model} WHERE rowid > ${row} ORDER BY company_id`,
    );
    written[model] = rows.map(({ company_id }) => Number(company_id));
  }
  return written;
}
