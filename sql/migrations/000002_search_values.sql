-- What searches told of a company besides its id: its name, and its status where the search was narrowed to one. Since
-- when, and last: enough to tell a company that changed from an API whose searches and details always differ.
CREATE TABLE ledger.search_values (
  company_id BIGINT NOT NULL,
  field VARCHAR NOT NULL,
  value VARCHAR NOT NULL,
  first_at TIMESTAMPTZ NOT NULL,
  last_at TIMESTAMPTZ NOT NULL
);

INSERT INTO ledger.search_values
SELECT company_id, 'name', name, sighted_at, sighted_at FROM ledger.company_seen WHERE name IS NOT NULL AND sighted_at IS NOT NULL;
