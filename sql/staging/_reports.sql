-- Runs before the staging file of v2 and v1 reports. Creates `report_rows` (one row for each landed answer) and
-- `batch_reports` (one row for each distinct answer to read).
SET VARIABLE source = CASE getvariable('stream') WHEN 'financials' THEN 'v2' ELSE 'v1' END;

CREATE OR REPLACE TEMP TABLE report_rows AS
SELECT
  row_id,
  text_id(entity_id) AS company_id,
  body_hash AS report_hash,
  CASE
    WHEN stream = 'financials' AND contains(request_key, 'year')
    THEN TRY_CAST(nullif(regexp_extract(request_key, '\byear\W{1,4}([0-9]{4})\b', 1), '') AS INTEGER)
  END AS scope_year,
  min(row_id) OVER (PARTITION BY entity_id, body_hash) AS first_row
FROM batch
WHERE fault IS NULL;

INSERT INTO batch_rejects
SELECT row_id, 'bad_entity_id', '$', body
FROM parts
WHERE row_id IN (SELECT row_id FROM report_rows WHERE company_id IS NULL);

DELETE FROM report_rows WHERE company_id IS NULL;

-- An answer that is already in the ledger is skipped if it has no rejects. If it has rejects, it is read again, so that
-- its rejects stay open.
CREATE OR REPLACE TEMP TABLE batch_reports AS
SELECT
  r.row_id,
  r.company_id,
  r.report_hash,
  CAST((SELECT coalesce(max(report_id) + 1, 0) FROM ledger.reports) + row_number() OVER () - 1 AS UINTEGER) AS report_id,
  k.report_id IS NULL AS is_new
FROM report_rows AS r
LEFT JOIN ledger.reports AS k
  ON k.company_id = r.company_id AND k.report_hash = r.report_hash AND k.source = getvariable('source')
WHERE r.row_id = r.first_row AND NOT coalesce(k.clean, false);
