import { expect, it } from 'vitest';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { query } from '../../../../src/serve/explorer/routes/context.js';

it('adds companies up that had no turnover in one of the two years', async () => {
  await withMemory(':memory:', async (db) => {
    await db.run(`
      CREATE SCHEMA marts; CREATE SCHEMA ops;
      CREATE TABLE ops.nights (market VARCHAR, date DATE, is_complete BOOLEAN);
      CREATE TABLE marts.market_members (market VARCHAR, date DATE, company_id BIGINT);
      CREATE TABLE marts.company_years (company_id BIGINT, fiscal_year INTEGER, eur_rate DOUBLE);
      INSERT INTO marts.company_years VALUES (1, 2024, 1), (2, 2024, 0.5), (3, 2024, 0.5), (4, 2024, NULL);
      CREATE TABLE marts.companies AS SELECT *, true AS in_market, 'DK' AS country_code, 'DKK' AS turnover_currency, '' AS industry, '' AS legal_form,
        '' AS status, NULL AS employees, NULL AS employees_min, 2024 AS fiscal_year
      FROM (VALUES (1, 30, 0, 30, NULL), (2, 0, 20, 0, -1), (3, 40, 20, 20, 1), (4, 9, 7, NULL, 0.25))
        AS t (company_id, turnover, previous_turnover, turnover_eur, turnover_growth)`);
    const groups = await db.rows(query('markets/breakdown'), { market: null });
    // 30 + 0 + 20 after 0 + 10 + 10. The fourth company has no rate.
    expect(groups.find(({ by }) => by === 'country')).toMatchObject({ with_growth_eur: '3', growth_of_sum: 1.5 });
  });
});
