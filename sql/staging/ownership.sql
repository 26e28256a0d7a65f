-- Loads answers of GET /v2/kyb/{id}/ubo: the owners of a company at one threshold. entity_id is the company's id; the
-- row_kind names the threshold. The reference shows no answer. So the whole answer is kept, and only what is certain is
-- read from it.
CREATE OR REPLACE TEMP TABLE owners_landed AS
SELECT
  b.row_id,
  b.run,
  b.market,
  b.observed_at,
  b.body_hash,
  b.entity_id,
  json_id(to_json(b.entity_id)) AS company_id,
  TRY_CAST(regexp_extract(p.row_kind, '[0-9.]+$') AS DOUBLE) AS threshold,
  coalesce(json_type(b.doc) = 'OBJECT' AND json_keys(b.doc) = ['tidemark_removed', 'answer'], false) AS without_personal_data,
  CASE WHEN without_personal_data THEN json_extract(b.doc, '$.answer') ELSE b.doc END AS payload,
  json_is_big_tree(payload, len(string_split(CAST(payload AS VARCHAR), ','))) AS is_big
FROM batch AS b
JOIN (SELECT row_id, row_kind FROM parts) AS p USING (row_id)
WHERE b.doc IS NOT NULL;

INSERT INTO batch_rejects
SELECT
  row_id,
  CASE
    WHEN company_id IS NULL THEN 'bad_entity_id'
    WHEN threshold IS NULL THEN 'no_threshold'
    WHEN is_big THEN 'too_many_values'
    ELSE 'not_an_object'
  END,
  '$',
  CASE WHEN company_id IS NULL THEN entity_id ELSE CAST(payload AS VARCHAR) END
FROM owners_landed
WHERE company_id IS NULL OR threshold IS NULL OR is_big OR NOT (json_is_nested(payload) OR json_is_blank(payload));

-- All plain values of each answer.
CREATE OR REPLACE TEMP TABLE owner_values AS
SELECT
  o.row_id,
  owner_key(t.key) AS key,
  owner_key(t.path) AS parent,
  t.fullkey,
  json_text(t.atom) AS value,
  t.atom,
  -- True for a field of the answer itself, or of an object that is a field of the answer. False inside a list, because
  -- such a value describes only one item of the list.
  NOT contains(t.path, '[') AND len(string_split(t.path, '.')) <= 2 AS is_near
FROM (FROM owners_landed WHERE NOT is_big) AS o, json_tree(o.payload) AS t
WHERE t.atom IS NOT NULL
  AND json_text(t.atom) IS NOT NULL
  AND o.row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');

CREATE OR REPLACE TEMP TABLE owners_read AS
WITH facts AS (
  SELECT
    row_id,
    sha256(string_agg(fullkey || '=' || value, chr(10) ORDER BY fullkey, value)) AS record_hash,
    -- If there are several flags or jobs that differ, none of them is certain, so the result is NULL.
    list_distinct(list(CASE WHEN starts_with(replace(key, 'is', ''), 'in') THEN NOT json_flag(atom) ELSE json_flag(atom) END)
      FILTER (is_near AND key IN ('conclusive', 'isconclusive', 'inconclusive', 'isinconclusive'))) AS flags,
    count(*) FILTER (is_near AND key IN ('conclusive', 'isconclusive', 'inconclusive', 'isinconclusive') AND json_flag(atom) IS NULL)
      AS unclear,
    list_distinct(list(value) FILTER (is_near AND (key IN ('jobid', 'enrichmentjobid', 'uboenrichmentjobid') OR (key = 'id' AND parent = 'job'))))
      AS jobs
  FROM owner_values
  GROUP BY row_id
)
SELECT
  o.row_id, o.run, o.market, o.company_id, o.threshold,
  coalesce(f.record_hash, sha256('')) AS record_hash,
  CASE WHEN len(f.flags) = 1 AND f.unclear = 0 THEN f.flags[1] END AS conclusive,
  CASE WHEN len(f.jobs) = 1 THEN f.jobs[1] END AS job_id,
  o.payload, o.without_personal_data, o.observed_at, o.body_hash
FROM owners_landed AS o
LEFT JOIN facts AS f USING (row_id)
WHERE o.row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');

MERGE INTO ledger.owner_records AS old
USING (
  SELECT * EXCLUDE (row_id, run, market)
  FROM owners_read
  QUALIFY row_number() OVER (
    PARTITION BY company_id, threshold, record_hash ORDER BY observed_at DESC, body_hash DESC
  ) = 1
) AS new ON old.company_id = new.company_id AND old.threshold = new.threshold AND old.record_hash = new.record_hash
WHEN MATCHED AND (new.observed_at, new.body_hash) > (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

INSERT INTO ledger.owner_answers BY NAME
SELECT DISTINCT company_id, threshold, record_hash, market, observed_at FROM owners_read;

INSERT INTO batch_records SELECT row_id, company_id, record_hash, NULL FROM owners_read;
