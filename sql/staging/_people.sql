-- Runs after the staging file of a stream about people. Writes one row of ledger.people for each distinct record in
-- `people_typed`.
MERGE INTO ledger.people AS old
USING (
  SELECT COLUMNS(c -> c NOT IN ('row_id', 'run', 'company_id', 'form'))
  FROM people_typed
  QUALIFY row_number() OVER (
    PARTITION BY person_id, record_hash ORDER BY observed_at DESC, body_hash DESC, CAST(extra AS VARCHAR) DESC
  ) = 1
) AS new ON old.stream = new.stream AND old.person_id = new.person_id AND old.record_hash = new.record_hash
WHEN MATCHED AND (new.observed_at, new.body_hash) > (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;
