-- Builds of the models. A published file names the last build that it contains, so the next publication knows which
-- changes are missing in the file.
CREATE TABLE ledger.model_builds (
  build BIGINT NOT NULL,
  build_id VARCHAR NOT NULL, -- random, so that a restored or replayed warehouse never has the id of another one
  personal_data BOOLEAN NOT NULL
);

-- Keys of incremental models that a build replaced. A row stays until a published file contains the build.
CREATE TABLE ledger.changed_keys (
  build BIGINT NOT NULL,
  model VARCHAR NOT NULL,
  key VARCHAR -- the columns in `incremental.by` as a JSON object; NULL: the build made the whole table again
);
