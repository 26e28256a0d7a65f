-- Pages of companies' listings of people. A listing was read to its end if one of its pages is the last one, or if the
-- API answered that the company is gone.
CREATE TABLE ledger.people_listings (
  stream VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  company_id BIGINT NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  -- People whom the API reports for the company; NULL if the page does not say.
  reported BIGINT,
  is_last BOOLEAN NOT NULL
);
INSERT INTO ledger.people_listings
SELECT stream, run, TRY_CAST(entity_id AS BIGINT), observed_at, NULL, true
FROM ledger.observations
WHERE stream = 'executives' AND (readable OR status = 404) AND TRY_CAST(entity_id AS BIGINT) IS NOT NULL;

-- False: the listing states the name of the person and of the company, and nothing else. The details have the rest.
ALTER TABLE ledger.people_listed ADD COLUMN is_whole BOOLEAN DEFAULT true;

-- Each time the details of a person were read. `stream`: the stream that lists the person.
CREATE TABLE ledger.people_details (
  stream VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  person_id BIGINT NOT NULL,
  record_hash VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL
);
