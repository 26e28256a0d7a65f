-- Loads enrichment jobs of owners. entity_id is the company's id; row_kind has the job's state and id
-- (`running:ubo-7`). A row with status 0 has a text of Tidemark that says how a job ended.
CREATE OR REPLACE TEMP TABLE jobs_landed AS
SELECT
  b.row_id,
  b.run,
  b.market,
  b.observed_at,
  b.body_hash,
  b.entity_id,
  json_id(to_json(b.entity_id)) AS company_id,
  nullif(regexp_extract(p.row_kind, '^(started|running|done|failed|vanished|expired|nojob|unknown):(.*)$', 1), '') AS state,
  nullif(regexp_extract(p.row_kind, '^[a-z]+:(.*)$', 1), '') AS job_id,
  coalesce(json_type(b.doc) = 'OBJECT' AND json_keys(b.doc) = ['tidemark_removed', 'answer'], false) AS without_personal_data,
  CASE WHEN without_personal_data THEN json_extract(b.doc, '$.answer') ELSE b.doc END AS payload
FROM batch AS b
JOIN (SELECT row_id, row_kind FROM parts) AS p USING (row_id);

-- Reject jobs that ended without a result. The reject shows Tidemark's text, or the API's last answer.
UPDATE batch_rejects
SET reason = 'job_' || j.state
FROM jobs_landed AS j
WHERE j.row_id = batch_rejects.row_id AND j.state IS NOT NULL;

INSERT INTO batch_rejects
SELECT row_id, 'job_' || state, '$', CAST(payload AS VARCHAR)
FROM jobs_landed
WHERE state IN ('failed', 'nojob') AND payload IS NOT NULL;

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN company_id IS NULL THEN 'bad_entity_id' ELSE 'no_state' END, '$', entity_id
FROM jobs_landed
WHERE payload IS NOT NULL AND (company_id IS NULL OR state IS NULL);

INSERT INTO ledger.owner_jobs BY NAME
SELECT DISTINCT company_id, run, market, state, job_id, payload, without_personal_data, observed_at, body_hash
FROM jobs_landed
WHERE company_id IS NOT NULL AND state IS NOT NULL;
