-- Every record a tender ever had in the listing (source `summary`) and in its details (`details`), once; columns as at the
-- record's earliest observation. Nothing of persons is kept here. record_hash: as in tender_sightings.summary_hash and
-- observations.record_hash.
CREATE TABLE ledger.tender_versions (
  slug VARCHAR NOT NULL,
  source VARCHAR NOT NULL,
  record_hash VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL,
  title VARCHAR,
  status VARCHAR,
  project_type VARCHAR,
  type VARCHAR,
  announced_date DATE,
  deadline_date DATE,
  countries VARCHAR[],
  industries VARCHAR[],
  description_html VARCHAR,
  logo VARCHAR,
  donors JSON[],
  attachments VARCHAR[]
);

CREATE TABLE ledger.dirty_tenders (slug VARCHAR NOT NULL);
