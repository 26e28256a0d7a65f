import { quote } from '../../warehouse/duckdb/sql-files.js';

/** Two nights to compare. */
export interface Pair {
  /** Days as `YYYY-MM-DD`; `from` is the earlier one. */
  from: string;
  to: string;
  /** Null: every market that has both nights. */
  market: string | null;
}

/** Kinds of rows, in the order in which they are shown. */
export const KINDS = ['entered', 'left', 'changed', 'restated', 'event'] as const;

/** SQL query for the nights of a pair: one row per market. */
export function pairQuery({ from, to, market }: Pair): string {
  const where = market === null ? '' : ` AND b.market = ${quote(market)}`;
  return `SELECT b.market, a.as_of AS from_at, b.as_of AS to_at, a.is_complete AS from_is_complete, b.is_complete AS to_is_complete
    FROM ops.nights AS a
    JOIN ops.nights AS b USING (market)
    WHERE a.date = DATE ${quote(from)} AND b.date = DATE ${quote(to)}${where}`;
}

/**
 * SQL query for what changed between two nights: one row per company that entered or left, per changed field or
 * figure, and per event. Compares the two nights, so what changed and changed back is no difference. A change counts
 * for each market that had the company as a member on one of the two nights.
 */
export function diffQuery(pair: Pair): string {
  const [from, to] = [`DATE ${quote(pair.from)}`, `DATE ${quote(pair.to)}`];
  return `
  WITH pair AS (${pairQuery(pair)}),
  moves AS (
    SELECT market, company_id, min_by(kind, date) AS first_kind, max_by(kind, date) AS kind, max_by(reason, date) AS reason, max(as_of) AS changed_at
    FROM marts.market_moves
    SEMI JOIN pair USING (market)
    WHERE date > ${from} AND date <= ${to}
    GROUP BY market, company_id
    HAVING min_by(kind, date) = max_by(kind, date)
  ),
  members AS (
    SELECT DISTINCT market, company_id FROM marts.market_members SEMI JOIN pair USING (market) WHERE date IN (${from}, ${to})
  ),
  changes AS (
    SELECT m.market, c.*
    FROM marts.changes AS c
    JOIN members AS m USING (company_id)
    JOIN pair AS p ON p.market = m.market
    WHERE c.kind IN ('changed', 'restated', 'event') AND c.changed_at > p.from_at AND c.changed_at <= p.to_at
  ),
  differences AS (
    SELECT market, kind, company_id, NULL AS reason, NULL AS field, NULL AS fiscal_year, NULL AS old_value, NULL AS new_value, changed_at,
      NULL AS event_id
    FROM moves
    WHERE kind = 'entered'
    UNION ALL
    SELECT market, kind, company_id, reason, NULL, NULL, NULL, NULL, changed_at, NULL FROM moves WHERE kind = 'left'
    UNION ALL
    SELECT market, kind, company_id, NULL, field, fiscal_year, first(old_value ORDER BY changed_at) AS old_value,
      last(new_value ORDER BY changed_at) AS new_value, max(changed_at), NULL
    FROM changes
    WHERE kind <> 'event'
    GROUP BY ALL
    HAVING first(old_value ORDER BY changed_at) IS DISTINCT FROM last(new_value ORDER BY changed_at)
    UNION ALL
    SELECT market, kind, company_id, NULL, field, fiscal_year, old_value, new_value, changed_at, event_id FROM changes WHERE kind = 'event'
  )
  SELECT d.market, d.kind, d.company_id, c.name, c.country_code, d.reason, d.field, d.fiscal_year,
    CASE WHEN d.kind = 'restated' THEN y.currency END AS currency, d.old_value, d.new_value, d.changed_at, d.event_id
  FROM differences AS d
  LEFT JOIN marts.companies AS c USING (company_id)
  LEFT JOIN marts.company_years AS y ON y.company_id = d.company_id AND y.fiscal_year = d.fiscal_year
  ORDER BY d.market, list_position([${KINDS.map(quote).join(', ')}], d.kind), d.company_id, d.fiscal_year, d.field, d.changed_at, d.event_id`;
}
