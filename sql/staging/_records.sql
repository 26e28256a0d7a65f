-- Loads Tidemark's own records about its runs, with one JSON object per row. Keeps only the latest record of each key.
-- A run's closing record replaces its opening record. The record of a failed, cancelled, terminated or timed out run
-- replaces both. The column
-- `rank` ensures this order even if the clock was set back.
INSERT INTO batch_rejects
SELECT row_id, 'not_an_object', '$', CAST(doc AS VARCHAR) FROM batch WHERE doc IS NOT NULL AND json_type(doc) <> 'OBJECT';

CREATE OR REPLACE TEMP TABLE run_records AS
SELECT
  row_id, stream, run, market, date,
  CASE stream
    WHEN 'runs' THEN doc ->> '$.run_id'
    WHEN 'segments' THEN doc ->> '$.segment'
    WHEN 'coverage' THEN doc ->> '$.market'
    WHEN 'requests' THEN doc ->> '$.endpoint'
    WHEN 'quota' THEN concat_ws('|', doc ->> '$.metric', doc ->> '$.read_at')
    WHEN 'due' THEN concat_ws('|', doc ->> '$.stream', doc ->> '$.reason')
    WHEN 'forecasts' THEN doc ->> '$.stream'
    WHEN 'quota_overuse' THEN doc ->> '$.metric'
  END AS record_key,
  observed_at,
  CASE
    WHEN stream <> 'runs' OR (doc ->> '$.finished_at') IS NULL THEN 0
    WHEN (doc ->> '$.outcome') IN ('failed', 'cancelled', 'terminated', 'timed_out') THEN 2
    ELSE 1
  END AS rank,
  body_hash,
  doc AS body
FROM batch
WHERE json_type(doc) = 'OBJECT';

INSERT INTO batch_rejects
SELECT row_id, 'no_key', '$', CAST(body AS VARCHAR) FROM run_records WHERE coalesce(record_key, '') = '';

MERGE INTO ledger.run_records AS old
USING (
  SELECT * EXCLUDE (row_id)
  FROM run_records
  WHERE record_key <> ''
  QUALIFY row_number() OVER (
    PARTITION BY stream, run, record_key ORDER BY rank DESC, observed_at DESC, body_hash DESC
  ) = 1
) AS new ON old.stream = new.stream AND old.run = new.run AND old.record_key = new.record_key
WHEN MATCHED AND (new.rank, new.observed_at, new.body_hash) > (old.rank, old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

INSERT INTO ledger.dirty_runs SELECT DISTINCT run FROM batch;

INSERT INTO ledger.dirty_nights
SELECT DISTINCT market, date FROM batch WHERE market IS NOT NULL AND stream IN ('runs', 'coverage');
