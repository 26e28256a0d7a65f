/*
model: core.owner_jobs
kind: table
version: 1
grain: enrichment job, or attempt to start one
key: [company_id, started_at]
description: >-
  Enrichment jobs of the API: a job reads live registry data to find the owners of a company. A run starts a job when
  ownership.enrich is true and the API's answer about the owners is not conclusive.
columns:
  company_id: BIGINT | Company
  job_id: VARCHAR | Id of the job; NULL if the API named none
  started_at: TIMESTAMPTZ | When the API answered the start; for a lost answer, when Tidemark gave up
  state: VARCHAR | started, running or done; failed (the API says so), vanished (not found in three polls), expired (longer than 7 days), nojob (the answer to the start names no job) or unknown (the answer to the start was lost)
  changed_at: TIMESTAMPTZ | When the API's answer about the job last changed
  payload: JSON | The API's last answer about the job. Landed without what identifies people, unless personalData was contacts. NULL if there is none, or if it names people and personalData is none when the table is built
*/
WITH numbered AS (
  SELECT
    *,
    -- A job's start gives it a new id. Rows with another id belong to another job.
    first_value(observed_at) OVER (PARTITION BY company_id, job_id ORDER BY observed_at, body_hash) AS started_at
  FROM ledger.owner_jobs
),

ranked AS (
  SELECT *, CASE state WHEN 'started' THEN 0 WHEN 'running' THEN 1 ELSE 2 END AS rank
  FROM numbered
)

SELECT
  company_id,
  job_id,
  started_at,
  arg_max(state, (rank, observed_at, body_hash)) AS state,
  max(observed_at) AS changed_at,
  arg_max(CASE WHEN s.personal_data OR without_personal_data THEN payload END, (observed_at, body_hash)) FILTER (payload IS NOT NULL) AS payload
FROM ranked
CROSS JOIN settings AS s
GROUP BY company_id, job_id, started_at
