-- The table a version of a model makes: an older version may be served beside the latest, under a name of its own, until a
-- day. NULL where it makes none any more.
ALTER TABLE ledger.models ADD COLUMN table_name VARCHAR;
ALTER TABLE ledger.models ADD COLUMN deprecation_date DATE;
UPDATE ledger.models SET table_name = model WHERE state = 'current';

-- The sets of models that were put in force, one after the other; rows are only ever added. origin: run, replay, apply,
-- rollback (of_set: the set that came back), or migration (what this file found). Models are held while the last one is a rollback.
CREATE TABLE ledger.model_sets (
  set_id INTEGER PRIMARY KEY,
  origin VARCHAR NOT NULL,
  of_set INTEGER,
  applied_at TIMESTAMPTZ NOT NULL
);
-- Their files: models, and the macros and seeds they were built with.
CREATE TABLE ledger.model_set_files (
  set_id INTEGER NOT NULL,
  file VARCHAR NOT NULL,
  sha256 VARCHAR NOT NULL,
  PRIMARY KEY (set_id, file)
);
CREATE TABLE ledger.model_texts (sha256 VARCHAR PRIMARY KEY, text VARCHAR NOT NULL);

INSERT INTO ledger.model_sets
SELECT 1, 'migration', NULL, max(applied_at) FROM ledger.models WHERE state = 'current' HAVING count(*) > 0 AND count(*) = count(definition);
INSERT INTO ledger.model_set_files
SELECT set_id, replace(model, '.', '/') || '.sql', sha256(definition)
FROM ledger.models CROSS JOIN ledger.model_sets
WHERE state = 'current';
INSERT INTO ledger.model_texts
SELECT DISTINCT sha256(definition), definition FROM ledger.models CROSS JOIN ledger.model_sets WHERE state = 'current';

-- What was loaded when the models were last built, as one hash: whether what is built now is built from the same.
CREATE TABLE ledger.built_from (parts_hash VARCHAR NOT NULL);
