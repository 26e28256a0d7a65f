-- Values of the tenders' filters, with the number of tenders that have each; the most frequent first. NULL: none stated.
WITH parts AS (
  SELECT 'status' AS "by", status AS "value" FROM core.tenders
  UNION ALL
  SELECT 'type', coalesce(type, project_type) FROM core.tenders
  UNION ALL
  SELECT 'country', unnest(CASE WHEN len(countries) > 0 THEN list_distinct(countries) ELSE [NULL] END) FROM core.tenders
  UNION ALL
  SELECT 'industry', unnest(CASE WHEN len(industries) > 0 THEN list_distinct(industries) ELSE [NULL] END) FROM core.tenders
  UNION ALL
  SELECT 'donor', d.name
  FROM core.tenders AS t
  LEFT JOIN (SELECT DISTINCT slug, name FROM core.tender_donors) AS d USING (slug)
)

SELECT *
FROM (SELECT "by", "value", count(*) AS tenders FROM parts GROUP BY "by", "value")
QUALIFY row_number() OVER (PARTITION BY "by" ORDER BY tenders DESC, "value") <= 500
ORDER BY "by", "value" IS NULL, tenders DESC, "value"
