-- What the bodies of each run are made of, as far as it tells drift: one row a batch, route, run and finding. kind `bodies`:
-- how many there were (path $); `seen`: a declared field was there; `new field`, `changed type`: it is not as declared
-- (schemas/), type says what came.
CREATE TABLE ledger.shapes (
  stream VARCHAR NOT NULL,
  route VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  type VARCHAR,
  bodies BIGINT NOT NULL,
  first_seen TIMESTAMPTZ NOT NULL,
  last_seen TIMESTAMPTZ NOT NULL,
  sample VARCHAR
);
