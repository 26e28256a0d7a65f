-- Runs after the staging file of v2 and v1 reports. Stores the reports of the batch: each value once for each distinct
-- content of a company's year. Reads `report_rows`, `batch_reports` and `batch_values`, which the staging file made, and
-- the variable `source`. A row of `batch_values` without a value is an unreadable value. Without an indicator, it is an
-- unreadable year.
SET VARIABLE currency = (SELECT id FROM base.indicator_ids WHERE indicator = 'Currency');
SET VARIABLE reported_date = (SELECT id FROM base.indicator_ids WHERE indicator = 'Reported-Date');

CREATE OR REPLACE TEMP TABLE batch_years AS
WITH years AS (
  SELECT
    report_id,
    fiscal_year,
    report_date,
    -- The outer hash is necessary: hash() of several columns is the hash of the last one XOR a hash of the others, so
    -- bit_xor would not see that two indicators exchanged their texts. For hash(), 0 and -0 are equal, so hash the sign, too.
    bit_xor(hash(hash(ind, signbit(value_double), value_double, value_text))) AS content,
    bool_and(ind IS NOT NULL) AS readable,
    bool_or(value_double IS NOT NULL OR value_text IS NOT NULL) AS has_values,
    any_value(value_text) FILTER (ind = getvariable('currency')) AS currency,
    any_value(value_text) FILTER (ind = getvariable('reported_date')) AS reported
  FROM batch_values
  WHERE fiscal_year IS NOT NULL
  GROUP BY ALL
)
SELECT report_id, company_id, years.* EXCLUDE (report_id)
FROM years
JOIN batch_reports USING (report_id);

-- Distinct contents of the batch. Contents that are new get ids.
CREATE OR REPLACE TEMP TABLE batch_contents AS
WITH contents AS (
  SELECT company_id, fiscal_year, report_date, content, readable, has_values, any_value(currency) AS currency,
    any_value(reported) AS reported, min(report_id) AS report_id
  FROM batch_years
  GROUP BY ALL
)
SELECT b.*, k.content_id AS known_id,
  coalesce(
    k.content_id,
    (SELECT coalesce(max(content_id) + 1, 0) FROM ledger.year_contents) + row_number() OVER (PARTITION BY k.content_id IS NULL) - 1
  ) AS content_id
FROM contents AS b
LEFT JOIN ledger.year_contents AS k
  ON k.company_id = b.company_id AND k.source = getvariable('source') AND k.fiscal_year = b.fiscal_year
  AND k.report_date IS NOT DISTINCT FROM b.report_date AND k.content = b.content AND k.readable = b.readable;

INSERT INTO base.year_values
SELECT c.content_id, c.company_id, v.ind, v.value_double, v.value_text
FROM batch_values AS v
JOIN (FROM batch_contents WHERE known_id IS NULL AND readable) AS c
  ON c.report_id = v.report_id AND c.fiscal_year = v.fiscal_year AND c.report_date IS NOT DISTINCT FROM v.report_date
WHERE v.value_double IS NOT NULL OR v.value_text IS NOT NULL;

INSERT INTO ledger.unreadable_values
SELECT c.content_id, v.ind
FROM (FROM batch_values WHERE value_double IS NULL AND value_text IS NULL) AS v
JOIN (FROM batch_contents WHERE known_id IS NULL AND readable) AS c
  ON c.report_id = v.report_id AND c.fiscal_year = v.fiscal_year AND c.report_date IS NOT DISTINCT FROM v.report_date;

INSERT INTO ledger.year_contents
SELECT content_id, company_id, getvariable('source'), fiscal_year, report_date, content, readable, has_values, currency, reported
FROM batch_contents
WHERE known_id IS NULL;

INSERT INTO ledger.content_batches
SELECT uuid(), max(content_id) FROM batch_contents WHERE known_id IS NULL HAVING count(*) > 0;

INSERT INTO ledger.report_contents
SELECT y.report_id, c.content_id
FROM batch_years AS y
JOIN batch_contents AS c
  ON c.company_id = y.company_id AND c.fiscal_year = y.fiscal_year AND c.report_date IS NOT DISTINCT FROM y.report_date
  AND c.content = y.content AND c.readable = y.readable;

INSERT INTO ledger.reports
SELECT report_id, company_id, getvariable('source'), report_hash, row_id NOT IN (SELECT row_id FROM batch_rejects),
  report_id IN (SELECT report_id FROM batch_values WHERE fiscal_year IS NULL)
FROM batch_reports
WHERE is_new;

INSERT INTO batch_records SELECT row_id, company_id, report_hash, scope_year FROM report_rows;
INSERT INTO ledger.dirty_reports SELECT DISTINCT company_id FROM report_rows;
