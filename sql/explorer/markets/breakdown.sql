-- Companies in the market by country, industry, legal form, status, size and growth; the largest groups of each.
WITH members AS (
  -- As marts.companies.in_market, for one market.
  SELECT DISTINCT company_id
  FROM marts.market_members
  WHERE market = $market
    AND date >= coalesce((SELECT max(date) FROM ops.nights WHERE market = $market AND is_complete), DATE '0001-01-01')
),

chosen AS (
  SELECT c.*,
    -- Turnover of the year before, at the rate of the later year, so that rates do not count as growth.
    c.previous_turnover * y.eur_rate AS before_eur
  FROM marts.companies AS c
  LEFT JOIN marts.company_years AS y USING (company_id, fiscal_year)
  WHERE CASE WHEN $market IS NULL THEN in_market ELSE company_id IN (SELECT company_id FROM members) END
),

parts AS (
  SELECT company_id, turnover_eur, turnover_growth, fiscal_year, before_eur,
    unnest([
    {'by': 'country', value: country_code},
    {'by': 'industry', value: industry},
    {'by': 'legal_form', value: legal_form},
    {'by': 'status', value: status},
    {'by': 'size', value: CASE
      WHEN coalesce(employees, employees_min) IS NULL THEN NULL
      WHEN coalesce(employees, employees_min) < 10 THEN '0-9'
      WHEN coalesce(employees, employees_min) < 50 THEN '10-49'
      WHEN coalesce(employees, employees_min) < 250 THEN '50-249'
      WHEN coalesce(employees, employees_min) < 1000 THEN '250-999'
      ELSE '1000+' END},
    {'by': 'growth', value: CASE
      WHEN turnover_growth IS NULL THEN NULL
      WHEN turnover_growth < -0.5 THEN 'below -50%'
      WHEN turnover_growth < -0.2 THEN '-50% to -20%'
      WHEN turnover_growth < -0.05 THEN '-20% to -5%'
      WHEN turnover_growth < 0.05 THEN '-5% to 5%'
      WHEN turnover_growth < 0.2 THEN '5% to 20%'
      WHEN turnover_growth < 0.5 THEN '20% to 50%'
      ELSE 'above 50%' END}
  ]) AS part
  FROM chosen
),

groups AS (
  SELECT part['by'] AS "by", part['value'] AS "value", count(*) AS companies, count(turnover_eur) AS with_turnover,
    sum(turnover_eur) AS turnover_eur, count(turnover_growth) AS with_growth, count(before_eur) AS with_growth_eur, median(turnover_growth) AS growth_median,
    min(fiscal_year) FILTER (turnover_growth IS NOT NULL) AS growth_from,
    max(fiscal_year) FILTER (turnover_growth IS NOT NULL) AS growth_to,
    sum(turnover_eur) FILTER (before_eur IS NOT NULL) / nullif(sum(before_eur), 0) - 1 AS growth_of_sum
  FROM parts
  GROUP BY 1, 2
)

SELECT * FROM groups
QUALIFY row_number() OVER (PARTITION BY "by" ORDER BY companies DESC, "value") <= 40
ORDER BY "by", companies DESC, "value"
