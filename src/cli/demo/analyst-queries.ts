/** A typical first question of an analyst, with its SQL. */
export interface AnalystQuery {
  title: string;
  sql: string;
}

/** Queries that the demo runs and prints at its end. */
export const ANALYST_QUERIES: readonly AnalystQuery[] = [
  {
    title: 'Which companies in the market are biggest? (by employees)',
    sql: `SELECT name, country_code AS country, industry, employees, fiscal_year AS year, turnover, turnover_currency AS currency,
  round(100 * turnover_growth, 1) AS "growth %"
FROM marts.companies
WHERE in_market
ORDER BY employees DESC NULLS LAST
LIMIT 8`,
  },
  {
    title: 'Where are the companies, and are they active?',
    sql: `SELECT country_code AS country, count(*) AS companies, count(*) FILTER (lower(status) = 'active') AS active,
  round(100 * avg((lower(status) = 'active')::INTEGER), 1) AS "active %", median(employees_max) AS "median size"
FROM marts.companies
WHERE in_market
GROUP BY ALL
ORDER BY companies DESC
LIMIT 8`,
  },
  {
    title: 'How did margins develop?',
    sql: `SELECT fiscal_year AS year, count(*) AS reports, count(turnover) AS "with turnover",
  round(100 * median(operating_profit / turnover) FILTER (turnover > 0), 1) AS "median margin %",
  round(100 * avg((profit_after_tax < 0)::INTEGER), 1) AS "loss-making %"
FROM marts.financials_wide
GROUP BY ALL
ORDER BY year DESC
LIMIT 8`,
  },
  {
    title: 'Which tenders close next?',
    sql: `SELECT title, type, deadline_date AS deadline, days_left
FROM marts.tender_pipeline
ORDER BY days_left, slug
LIMIT 8`,
  },
  {
    title: 'How good is each night?',
    sql: `SELECT market, date, outcome, companies_found, companies_missing, records_missing, rejects, why
FROM ops.night_quality
ORDER BY date DESC, market
LIMIT 8`,
  },
];
