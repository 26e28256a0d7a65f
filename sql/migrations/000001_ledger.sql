-- The ledger: what was loaded, in a form from which every model can be rebuilt. Every write into it commutes (append,
-- or merge by minimum or maximum), so that the order in which parts arrive leaves no trace. Never edited: a change is
-- the next numbered file.
CREATE SCHEMA ledger;

-- A part listed here is in the ledger; loading it and listing it is one transaction.
CREATE TABLE ledger.loaded_parts (
  stream VARCHAR NOT NULL,
  date VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  part VARCHAR NOT NULL,
  sha256 VARCHAR NOT NULL,
  rows BIGINT NOT NULL,
  rejects BIGINT NOT NULL,
  loaded_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (stream, date, run, part)
);

-- One row a landed response. record_hash: the normalised company record, or the report's body; NULL where there is
-- nothing readable. scope_year: set when only one year of a report was asked for.
CREATE TABLE ledger.observations (
  stream VARCHAR NOT NULL,
  entity_id VARCHAR NOT NULL,
  company_id BIGINT,
  observed_at TIMESTAMPTZ NOT NULL,
  status INTEGER NOT NULL,
  readable BOOLEAN NOT NULL,
  body_hash VARCHAR NOT NULL,
  record_hash VARCHAR,
  scope_year INTEGER,
  run VARCHAR NOT NULL
);

-- Latest plain answer (a record, or "not found") of each entity of a stream.
CREATE TABLE ledger.answers (
  stream VARCHAR NOT NULL,
  entity_id VARCHAR NOT NULL,
  answered_at TIMESTAMPTZ NOT NULL,
  gone BOOLEAN NOT NULL,
  read_at TIMESTAMPTZ
);

-- Every record a company ever had, once; columns as at the record's earliest observation.
CREATE TABLE ledger.company_records (
  company_id BIGINT NOT NULL,
  record_hash VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL,
  name VARCHAR,
  country_code VARCHAR,
  country_name VARCHAR,
  registration_number VARCHAR,
  vat_number VARCHAR,
  status VARCHAR,
  legal_form VARCHAR,
  website VARCHAR,
  phones VARCHAR[],
  emails VARCHAR[],
  faxes VARCHAR[],
  brands VARCHAR[],
  address_street VARCHAR,
  address_location VARCHAR,
  address_city VARCHAR,
  country_region VARCHAR,
  zip_code VARCHAR,
  size_text VARCHAR,
  employees_min INTEGER,
  employees_max INTEGER,
  founding_date DATE,
  pronet VARCHAR,
  microblog VARCHAR,
  socialnet VARCHAR,
  codes STRUCT(scheme VARCHAR, code_id BIGINT, value VARCHAR)[],
  extra JSON
);

-- First and last time a company was reported by a search or answered with a record; its name in the latest search.
CREATE TABLE ledger.company_seen (
  company_id BIGINT NOT NULL,
  first_seen_at TIMESTAMPTZ NOT NULL,
  last_seen_at TIMESTAMPTZ NOT NULL,
  sighted_at TIMESTAMPTZ,
  name VARCHAR
);

-- Which run's searches reported which company.
CREATE TABLE ledger.market_sightings (
  run VARCHAR NOT NULL,
  market VARCHAR,
  date DATE NOT NULL,
  company_id BIGINT NOT NULL
);

-- Reports whose values are in report_values; clean: nothing in it was rejected.
CREATE TABLE ledger.reports (
  company_id BIGINT NOT NULL,
  source VARCHAR NOT NULL,
  report_hash VARCHAR NOT NULL,
  clean BOOLEAN NOT NULL
);

-- Values of a report that are not null. Both values NULL: it was there but unreadable (see ledger.rejects). indicator
-- NULL: the whole year was unreadable.
CREATE TABLE ledger.report_values (
  company_id BIGINT NOT NULL,
  source VARCHAR NOT NULL,
  report_hash VARCHAR NOT NULL,
  fiscal_year INTEGER NOT NULL,
  indicator VARCHAR,
  value_double DOUBLE,
  value_text VARCHAR
);

-- Latest summary of a tender (source `summary`) and latest details (source `details`).
CREATE TABLE ledger.tender_records (
  slug VARCHAR NOT NULL,
  source VARCHAR NOT NULL,
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
  attachments VARCHAR[],
  contacts STRUCT(kind VARCHAR, type VARCHAR, name VARCHAR, contact_id BIGINT)[]
);

-- Which run's listing reported which tender, with the hash of the summary it gave.
CREATE TABLE ledger.tender_sightings (
  run VARCHAR NOT NULL,
  slug VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  summary_hash VARCHAR NOT NULL
);

CREATE TABLE ledger.nomenclature_items (
  entity_id VARCHAR NOT NULL,
  body_hash VARCHAR NOT NULL,
  list VARCHAR NOT NULL,
  id BIGINT NOT NULL,
  name VARCHAR,
  short_name VARCHAR,
  parent_id BIGINT
);

CREATE TABLE ledger.watched_companies (
  run VARCHAR NOT NULL,
  company_id BIGINT NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  fields VARCHAR[],
  since DATE
);

CREATE TABLE ledger.watch_events (
  event_id VARCHAR NOT NULL,
  company_id BIGINT NOT NULL,
  field VARCHAR NOT NULL,
  status VARCHAR,
  old_value VARCHAR,
  new_value VARCHAR,
  message_html VARCHAR,
  occurred_at TIMESTAMPTZ NOT NULL,
  received_via VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Tidemark's own records (streams runs, segments, coverage, requests, quota): the latest of each key.
CREATE TABLE ledger.run_records (
  stream VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  market VARCHAR,
  date DATE NOT NULL,
  record_key VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  rank INTEGER NOT NULL,
  body_hash VARCHAR NOT NULL,
  body JSON NOT NULL
);

-- Each time something was found wrong; ops.rejects tells since when and whether it still is.
CREATE TABLE ledger.rejects (
  stream VARCHAR NOT NULL,
  entity_id VARCHAR NOT NULL,
  reason VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  raw VARCHAR,
  observed_at TIMESTAMPTZ NOT NULL,
  run VARCHAR NOT NULL
);

-- What changed since the models last ran; emptied by the transaction that runs them.
CREATE TABLE ledger.dirty_companies (company_id BIGINT NOT NULL, since TIMESTAMPTZ NOT NULL);
CREATE TABLE ledger.dirty_reports (company_id BIGINT NOT NULL);
CREATE TABLE ledger.dirty_nights (market VARCHAR NOT NULL, date DATE NOT NULL);
CREATE TABLE ledger.dirty_runs (run VARCHAR NOT NULL);

-- Models as last applied, and the last result of each check.
CREATE TABLE ledger.models (
  model VARCHAR NOT NULL,
  version INTEGER NOT NULL,
  kind VARCHAR NOT NULL,
  fingerprint VARCHAR NOT NULL,
  applied_at TIMESTAMPTZ NOT NULL,
  state VARCHAR NOT NULL,
  PRIMARY KEY (model, version)
);
CREATE TABLE ledger.checks (
  model VARCHAR NOT NULL,
  "check" VARCHAR NOT NULL,
  failing_rows BIGINT NOT NULL,
  severity VARCHAR NOT NULL,
  "at" TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (model, "check")
);
