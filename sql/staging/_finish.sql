-- Runs after a stream's own staging file. Writes the rejects of bad values, and the ledger rows that all streams have in
-- common.
INSERT INTO batch_rejects
SELECT row_id, coalesce(json_bad_reason(raw), 'not_json'), path, raw FROM bad_values;

UPDATE batch_rejects SET raw = json_said(raw) WHERE contains(raw, '[["\u0001');

-- A row is readable unless the whole row was rejected; some of its values may be rejected.
CREATE OR REPLACE TEMP TABLE observed AS
SELECT
  b.* EXCLUDE (doc),
  r.company_id,
  r.record_hash,
  r.scope_year,
  b.fault IS NULL AND b.row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$') AS readable
FROM batch AS b
LEFT JOIN batch_records AS r USING (row_id);

INSERT INTO ledger.observations
SELECT stream, entity_id, company_id, observed_at, status, readable, body_hash, record_hash, scope_year, run
FROM observed;

MERGE INTO ledger.answers AS old
USING (
  SELECT
    stream,
    entity_id,
    max(observed_at) AS answered_at,
    -- If a record and a 404 have the same time, use the record.
    arg_max(status = 404, (observed_at, status <> 404)) AS gone,
    max(observed_at) FILTER (readable) AS read_at
  FROM observed
  WHERE NOT is_page AND (readable OR status = 404)
  GROUP BY ALL
) AS new ON old.stream = new.stream AND old.entity_id = new.entity_id
WHEN MATCHED THEN UPDATE SET
  answered_at = greatest(old.answered_at, new.answered_at),
  gone = CASE
    WHEN new.answered_at > old.answered_at THEN new.gone
    WHEN new.answered_at = old.answered_at THEN old.gone AND new.gone
    ELSE old.gone
  END,
  read_at = greatest(old.read_at, new.read_at)
WHEN NOT MATCHED THEN INSERT VALUES (new.stream, new.entity_id, new.answered_at, new.gone, new.read_at);

INSERT INTO ledger.rejects
SELECT DISTINCT b.stream, b.entity_id, r.reason, r.path, left(r.raw, 10000), b.observed_at, b.run
FROM batch_rejects AS r
JOIN batch AS b USING (row_id);
