-- The ledger: what was loaded, in a form from which every model can be rebuilt. Every write into it commutes (append,
-- or merge by minimum or maximum), so that the order in which parts arrive leaves no trace.
--
-- The comment `names a person` marks a column that may name one (src/warehouse/publish/free-blocks.ts); `if`: a condition
-- in SQL.
--
-- This file is the whole schema of a warehouse. It has no migrations: a warehouse of another schema is made again from
-- the landing zone (src/warehouse/duckdb/schema.ts).
CREATE SCHEMA ledger;

-- Tables that published views read. They are published, too. So every table and column has a comment.
CREATE SCHEMA base;

-- A part listed here is in the ledger; loading it and listing it is one transaction.
CREATE TABLE ledger.loaded_parts (
  stream VARCHAR NOT NULL,
  date VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  part VARCHAR NOT NULL,
  sha256 VARCHAR NOT NULL,
  rows BIGINT NOT NULL,
  rejects BIGINT NOT NULL,
  PRIMARY KEY (stream, date, run, part)
);

-- One row a landed response. record_hash: the normalised company record, or the report's body; NULL where there is
-- nothing readable. scope_year: set when only one year of a report was asked for.
CREATE TABLE ledger.observations (
  stream VARCHAR NOT NULL,
  entity_id VARCHAR NOT NULL, -- as in ledger.answers or ledger.rejects
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
  entity_id VARCHAR NOT NULL, -- names a person if stream IN ('enrichments', 'matches') AND question_names_person(entity_id)
  answered_at TIMESTAMPTZ NOT NULL,
  gone BOOLEAN NOT NULL,
  read_at TIMESTAMPTZ
);

-- Each time something was found wrong; ops.rejects tells since when and whether it still is.
CREATE TABLE ledger.rejects (
  stream VARCHAR NOT NULL,
  entity_id VARCHAR NOT NULL, -- names a person if stream IN ('enrichments', 'matches') AND question_names_person(entity_id)
  reason VARCHAR NOT NULL,
  path VARCHAR NOT NULL,
  raw VARCHAR, -- names a person if part_names_person(stream, path)
  observed_at TIMESTAMPTZ NOT NULL,
  run VARCHAR NOT NULL
);

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

-- Companies that the searches of a run found, while the run is not finished. Then sql/staging/_market_stays.sql moves them
-- to base.market_stays.
CREATE TABLE ledger.pending_sightings (
  run VARCHAR NOT NULL,
  market VARCHAR,
  date DATE NOT NULL,
  company_id BIGINT NOT NULL
);

-- Nearly all companies of a night were in the market the night before. So a stay has one row, however many nights it has.
CREATE TABLE base.market_runs (
  market VARCHAR,
  run_no INTEGER NOT NULL,
  run VARCHAR NOT NULL,
  date DATE NOT NULL,
  companies BIGINT NOT NULL
);
COMMENT ON TABLE base.market_runs IS 'Runs that searched a market, numbered in the order in which they were loaded.';
COMMENT ON COLUMN base.market_runs.market IS 'Market; NULL if the run has none';
COMMENT ON COLUMN base.market_runs.run_no IS 'Number of the run in its market, from 1. A replay may give other numbers';
COMMENT ON COLUMN base.market_runs.run IS 'Run';
COMMENT ON COLUMN base.market_runs.date IS 'Date of the night';
COMMENT ON COLUMN base.market_runs.companies IS 'Companies that the run found in the market';

CREATE TABLE base.market_stays (
  market VARCHAR,
  company_id BIGINT NOT NULL,
  from_no INTEGER NOT NULL,
  to_no INTEGER NOT NULL
);
COMMENT ON TABLE base.market_stays IS 'Which runs of a market found a company: all runs from one number to another. marts.market_members shows the nights.';
COMMENT ON COLUMN base.market_stays.market IS 'Market; NULL if its runs have none';
COMMENT ON COLUMN base.market_stays.company_id IS 'Id of the company';
COMMENT ON COLUMN base.market_stays.from_no IS 'First of these runs (base.market_runs.run_no)';
COMMENT ON COLUMN base.market_stays.to_no IS 'Last of these runs; 2147483647 if the latest run of the market found the company';

-- Which run's searches reported which company.
CREATE VIEW ledger.market_sightings AS
SELECT r.run, r.market, r.date, s.company_id
FROM base.market_runs AS r
JOIN base.market_stays AS s
  ON s.market IS NOT DISTINCT FROM r.market AND s.from_no <= r.run_no AND s.to_no >= r.run_no
UNION ALL
FROM ledger.pending_sightings;

-- What a night says of nearly all companies, in few columns. So core.companies need not be written again each night.
CREATE TABLE base.company_seen (
  company_id BIGINT NOT NULL,
  first_seen_at TIMESTAMPTZ NOT NULL,
  last_seen_at TIMESTAMPTZ NOT NULL,
  read_at TIMESTAMPTZ,
  matched_at TIMESTAMPTZ,
  sighted_at TIMESTAMPTZ,
  name VARCHAR,
  status VARCHAR,
  status_at TIMESTAMPTZ
);
COMMENT ON TABLE base.company_seen IS 'Companies that a search reported or whose record was read. core.companies and marts.companies read this table. Not promised.';
COMMENT ON COLUMN base.company_seen.company_id IS 'Id of the company';
COMMENT ON COLUMN base.company_seen.first_seen_at IS 'When a search or a record first named the company';
COMMENT ON COLUMN base.company_seen.last_seen_at IS 'When a search or a record last named the company';
COMMENT ON COLUMN base.company_seen.read_at IS 'When the record of the company was last read; NULL if it never was';
COMMENT ON COLUMN base.company_seen.matched_at IS 'When a record last answered a question of tidemark resolve; NULL if none did';
COMMENT ON COLUMN base.company_seen.sighted_at IS 'When a search last reported the company; NULL if none did';
COMMENT ON COLUMN base.company_seen.name IS 'Name in the latest search';
COMMENT ON COLUMN base.company_seen.status IS 'Status in the latest search that was narrowed to one status; NULL if there was none';
COMMENT ON COLUMN base.company_seen.status_at IS 'When this search reported the company';

-- What searches told of a company besides its id: its name, and its status where the search was narrowed to one. Of the
-- values in company_seen, last_at may be earlier than the last time: a night writes nothing here for a company that still
-- has the same values. The view search_values has the last times.
CREATE TABLE ledger.told_values (
  company_id BIGINT NOT NULL,
  field VARCHAR NOT NULL, -- name or company_status
  value VARCHAR NOT NULL,
  first_at TIMESTAMPTZ NOT NULL,
  last_at TIMESTAMPTZ NOT NULL
);

-- Since when searches told a value, and when last: enough to tell a company that changed from an API whose searches and
-- details always differ.
CREATE VIEW ledger.search_values AS
SELECT t.company_id, t.field, t.value, t.first_at,
  CASE
    WHEN t.field = 'name' AND t.value = s.name THEN greatest(t.last_at, s.sighted_at)
    WHEN t.field = 'company_status' AND t.value = s.status THEN greatest(t.last_at, s.status_at)
    ELSE t.last_at
  END AS last_at
FROM ledger.told_values AS t
JOIN base.company_seen AS s USING (company_id);

-- Every record a company ever had, once; columns as at the record's earliest observation. extra_at: when `extra` was said:
-- of fields that make no new record, the latest values stand.
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
  extra JSON,
  extra_at TIMESTAMPTZ
);

-- The latest record of a company with unlisted fields in its industries. Of no account if a later record has none.
CREATE TABLE ledger.code_extras (
  company_id BIGINT NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL,
  extras STRUCT(scheme VARCHAR, code_id BIGINT, value VARCHAR, extra JSON)[] NOT NULL
);

-- Every record that version 1 of the API ever gave of a company, once; columns as at the record's latest observation.
CREATE TABLE ledger.company_records_v1 (
  company_id BIGINT NOT NULL,
  record_hash VARCHAR NOT NULL,
  name VARCHAR,
  country_code VARCHAR,
  country_name VARCHAR,
  registration_number VARCHAR,
  vat_number VARCHAR,
  legal_form VARCHAR,
  website VARCHAR,
  phone_text VARCHAR,
  phones VARCHAR[],
  email_text VARCHAR,
  emails VARCHAR[],
  fax_text VARCHAR,
  faxes VARCHAR[],
  brands_text VARCHAR,
  brands VARCHAR[],
  address_street VARCHAR,
  address_location VARCHAR,
  country_region VARCHAR,
  zip_code VARCHAR,
  size_text VARCHAR,
  employees_min INTEGER,
  employees_max INTEGER,
  founding_date DATE,
  extra JSON,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Versions of each company record, for the histories of both versions of the API. `keys` names a table with the companies.
-- of_stream: stream of the records. A record of the stream `other` may lack fields. So use it only until the company's own
-- record is read.
CREATE MACRO ledger.record_versions(keys, of_stream, other) AS TABLE
WITH observed AS (
  -- Answers with the same time have no order. Choose one by its hash, so that every build chooses the same answer.
  SELECT company_id, observed_at, stream = of_stream AS is_own, max(record_hash) AS record_hash
  FROM ledger.observations
  SEMI JOIN query_table(keys) USING (company_id)
  WHERE (stream = of_stream AND readable) OR (stream = other AND record_hash IS NOT NULL)
  GROUP BY ALL
),
changes AS (
  SELECT company_id, observed_at, record_hash
  FROM (FROM observed QUALIFY is_own OR NOT bool_or(is_own) OVER (PARTITION BY company_id))
  QUALIFY record_hash IS DISTINCT FROM lag(record_hash) OVER (PARTITION BY company_id ORDER BY observed_at)
)
SELECT
  company_id,
  observed_at AS valid_from,
  lead(observed_at) OVER by_company AS valid_to,
  valid_to IS NULL AS is_current,
  CAST(row_number() OVER by_company AS INTEGER) AS version,
  record_hash
FROM changes
WINDOW by_company AS (PARTITION BY company_id ORDER BY observed_at);

-- Items of the lookup lists, once per list and distinct answer.
CREATE TABLE ledger.nomenclature_items (
  entity_id VARCHAR NOT NULL,
  body_hash VARCHAR NOT NULL,
  list VARCHAR NOT NULL,
  id BIGINT NOT NULL,
  name VARCHAR,
  short_name VARCHAR,
  parent_id BIGINT
);

-- Indicators of financial reports. Rows are only added, and an id never changes. kind: as in the API reference; NULL if the
-- reference does not list the indicator. src/warehouse/duckdb/schema.ts adds those of the reference, and the load the others.
CREATE TABLE base.indicator_ids (
  id UINTEGER NOT NULL,
  indicator VARCHAR NOT NULL,
  kind VARCHAR
);
COMMENT ON TABLE base.indicator_ids IS 'Ids of the indicators of financial reports. Not promised: a replay may give other ids.';
COMMENT ON COLUMN base.indicator_ids.id IS 'Id of the indicator';
COMMENT ON COLUMN base.indicator_ids.indicator IS 'Name of the indicator, as the API writes it';
COMMENT ON COLUMN base.indicator_ids.kind IS 'double, integer or string, as in the API reference; NULL if the reference does not list the indicator';

-- Each value once for each distinct content of a company's year (ledger.year_contents). company_id repeats that of the
-- content, so that DuckDB skips blocks if it looks up companies.
CREATE TABLE base.year_values (
  content_id UINTEGER NOT NULL,
  company_id BIGINT NOT NULL,
  ind UINTEGER NOT NULL,
  value_double DOUBLE,
  value_text VARCHAR
);
COMMENT ON TABLE base.year_values IS 'Financial values, once for each distinct content of a fiscal year. core.financials and core.financials_history read them. Not promised.';
COMMENT ON COLUMN base.year_values.content_id IS 'Content of the year; base.report_years says when it was valid';
COMMENT ON COLUMN base.year_values.company_id IS 'Id of the company';
COMMENT ON COLUMN base.year_values.ind IS 'Id of the indicator (base.indicator_ids)';
COMMENT ON COLUMN base.year_values.value_double IS 'Value as a number; NULL if it is not a number';
COMMENT ON COLUMN base.year_values.value_text IS 'Value as text, if the API sent text or the indicator is a text; otherwise NULL';

-- Distinct answers with financial reports. clean: nothing in it was rejected. unknown_years: a report in the answer has no
-- readable year or date, so what the answer lacks may be in this report.
CREATE TABLE ledger.reports (
  report_id UINTEGER NOT NULL,
  company_id BIGINT NOT NULL,
  source VARCHAR NOT NULL,
  report_hash VARCHAR NOT NULL,
  clean BOOLEAN NOT NULL,
  unknown_years BOOLEAN NOT NULL DEFAULT false
);

-- The distinct contents of each year of a company; of version 1, of each report date. content: hash of the values, which
-- DuckDB's hash() makes; it is compared only within one year of a company. Another version of DuckDB may have another
-- hash(). The warehouse is then made again, because its schema version includes the version of DuckDB.
-- readable = false: the whole year was unreadable, so the content has no values. has_values = false: all its values are
-- unreadable. currency, reported: texts of the indicators Currency and Reported-Date.
CREATE TABLE ledger.year_contents (
  content_id UINTEGER NOT NULL,
  company_id BIGINT NOT NULL,
  source VARCHAR NOT NULL,
  fiscal_year SMALLINT NOT NULL,
  report_date DATE,
  content UBIGINT NOT NULL,
  readable BOOLEAN NOT NULL,
  has_values BOOLEAN NOT NULL,
  currency VARCHAR,
  reported VARCHAR
);

-- The batches of contents, in the order in which they were loaded. The lake has the values of one or more batches in a file
-- that never changes. id: random, so a file of another warehouse, or of a lost state of this one, is never taken for a
-- file of this one.
CREATE TABLE ledger.content_batches (
  id UUID NOT NULL,
  last_content_id UINTEGER NOT NULL
);

-- The contents of each answer.
CREATE TABLE ledger.report_contents (
  report_id UINTEGER NOT NULL,
  content_id UINTEGER NOT NULL
);

-- Values that a content has, but that could not be read (see ledger.rejects).
CREATE TABLE ledger.unreadable_values (
  content_id UINTEGER NOT NULL,
  ind UINTEGER NOT NULL
);

-- Every report of an answer of version 1, with or without values. country: as the whole answer states it. Unreadable
-- reports have no row.
CREATE TABLE ledger.v1_reports (
  report_id UINTEGER NOT NULL,
  report_date DATE NOT NULL,
  country VARCHAR,
  modified_at TIMESTAMPTZ,
  source_processed_on DATE
);

-- What v1 says beside a value.
CREATE TABLE ledger.v1_values (
  report_id UINTEGER NOT NULL,
  report_date DATE NOT NULL,
  ind UINTEGER NOT NULL,
  progress DOUBLE,
  processed_at TIMESTAMPTZ
);

-- Reads of financial reports, for the models that make one state of each year from them. `keys` names a table with the
-- companies. least: leaves out companies with fewer answers; an answer that repeats the answer before it does not count.
-- Returns each year in each answer that could contain it. content_id is NULL if the answer lacks the year. In an answer
-- with an unreadable year or date, the year may still be present, so it does not count as lacking.
CREATE MACRO ledger.report_states(keys, least) AS TABLE
WITH observed AS (
  -- Answers with the same time have no order. Choose one by its hash, so that every build chooses the same answer.
  SELECT company_id, CASE stream WHEN 'financials' THEN 'v2' ELSE 'v1' END AS source, scope_year, observed_at,
    max(record_hash) AS report_hash
  FROM ledger.observations
  SEMI JOIN query_table(keys) USING (company_id)
  WHERE stream IN ('financials', 'financials_v1') AND readable
  GROUP BY ALL
),
told AS (
  SELECT *
  FROM observed
  QUALIFY (report_hash, scope_year) IS DISTINCT FROM
    lag((report_hash, scope_year)) OVER (PARTITION BY company_id, source ORDER BY observed_at, scope_year NULLS FIRST)
),
steps AS (
  SELECT t.*, r.report_id, r.unknown_years
  FROM (FROM told QUALIFY count(*) OVER (PARTITION BY company_id, source) >= least) AS t
  JOIN ledger.reports AS r USING (company_id, source, report_hash)
),
known AS (
  SELECT s.company_id, s.source, s.report_id, y.content_id, y.fiscal_year, y.report_date, y.readable
  FROM (SELECT DISTINCT company_id, source, report_id FROM steps) AS s
  JOIN ledger.report_contents USING (report_id)
  JOIN ledger.year_contents AS y USING (content_id)
)
SELECT k.company_id, k.source, k.fiscal_year, k.report_date, s.observed_at, s.scope_year, s.unknown_years, n.content_id
FROM steps AS s
JOIN (SELECT DISTINCT company_id, source, fiscal_year, report_date FROM known) AS k
  ON k.company_id = s.company_id AND k.source = s.source AND (s.scope_year IS NULL OR s.scope_year = k.fiscal_year)
LEFT JOIN known AS n
  ON n.report_id = s.report_id AND n.fiscal_year = k.fiscal_year AND n.report_date IS NOT DISTINCT FROM k.report_date
WHERE coalesce(n.readable, NOT s.unknown_years);

-- Values of each answer, for models of users. Both values NULL: the value was there but unreadable. indicator NULL: the
-- whole year was unreadable. Year and indicator NULL: a report of the answer has no readable year or date.
CREATE VIEW ledger.report_values AS
SELECT r.report_id, CAST(c.fiscal_year AS INTEGER) AS fiscal_year, c.report_date, i.indicator, v.value_double, v.value_text
FROM ledger.report_contents AS r
JOIN ledger.year_contents AS c USING (content_id)
LEFT JOIN (
  SELECT content_id, ind, value_double, value_text FROM base.year_values
  UNION ALL
  SELECT content_id, ind, NULL, NULL FROM ledger.unreadable_values
) AS v USING (content_id)
LEFT JOIN base.indicator_ids AS i ON i.id = v.ind
UNION ALL
SELECT report_id, NULL, NULL, NULL, NULL, NULL FROM ledger.reports WHERE unknown_years;

-- Values of financial reports requested by ticker, once per ticker and distinct answer. Both values NULL: unreadable (see
-- ledger.rejects). indicator NULL: the whole year was unreadable.
CREATE TABLE ledger.ticker_values (
  ticker VARCHAR NOT NULL,
  body_hash VARCHAR NOT NULL,
  fiscal_year INTEGER NOT NULL,
  indicator VARCHAR,
  value_double DOUBLE,
  value_text VARCHAR
);

-- Latest summary of a tender (source `summary`) and latest details (source `details`). Times are wall-clock times without
-- zone, as the API states them; NULL where only a day is stated. extra: fields that the reference does not list;
-- contact_extras: the same of each contact, in the order of `contacts`.
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
  contacts STRUCT(kind VARCHAR, type VARCHAR, name VARCHAR, contact_id BIGINT)[], -- names a person if len(list_filter(contacts, lambda c: c.name IS NOT NULL)) > 0
  announced_at TIMESTAMP,
  deadline_at TIMESTAMP,
  extra JSON,
  contact_extras JSON[] -- names a person if len(list_filter(contact_extras, lambda e: e IS NOT NULL)) > 0
);

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
  attachments VARCHAR[],
  announced_at TIMESTAMP,
  deadline_at TIMESTAMP
);

-- Which run's listing reported which tender, with the hash of the summary it gave.
CREATE TABLE ledger.tender_sightings (
  run VARCHAR NOT NULL,
  slug VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  summary_hash VARCHAR NOT NULL
);

-- Companies of the watch list as a run read it, also those outside all markets.
CREATE TABLE ledger.watched_companies (
  run VARCHAR NOT NULL,
  company_id BIGINT NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  fields VARCHAR[],
  since DATE,
  name VARCHAR,
  country_code VARCHAR,
  registration_number VARCHAR
);

-- Watch events as they were received: one row for each way (poll, webhook), content and copy. copy: 1, or more where one
-- listing has the same item more than once. field: as the API named it; content_hash: see staging/watch_events.sql.
-- extra: fields that the reference does not list, as last received.
CREATE TABLE ledger.received_events (
  company_id BIGINT NOT NULL,
  field VARCHAR NOT NULL,
  status VARCHAR,
  old_value VARCHAR, -- names a person if watch_about_people(field)
  new_value VARCHAR, -- names a person if watch_about_people(field)
  message_html VARCHAR, -- names a person if watch_about_people(field)
  occurred_at TIMESTAMPTZ NOT NULL,
  received_via VARCHAR NOT NULL,
  content_hash VARCHAR NOT NULL,
  copy INTEGER NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL,
  extra JSON, -- names a person if watch_about_people(field)
  extra_at TIMESTAMPTZ
);

-- What webhook deliveries last stated of their company, field by field.
CREATE TABLE ledger.delivered_values (
  company_id BIGINT NOT NULL,
  field VARCHAR NOT NULL,
  value VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL
);

-- People as the API lists them, one row for each person and distinct record. Personal fields are NULL unless they were
-- landed (`personalData: contacts`).
CREATE TABLE ledger.people (
  stream VARCHAR NOT NULL,
  person_id BIGINT NOT NULL,
  record_hash VARCHAR NOT NULL,
  company_name VARCHAR,
  title VARCHAR, -- names a person
  full_name VARCHAR, -- names a person
  first_name VARCHAR, -- names a person
  last_name VARCHAR, -- names a person
  patronymic VARCHAR, -- names a person
  gender VARCHAR, -- names a person
  seniority VARCHAR[],
  department VARCHAR[],
  function VARCHAR,
  nationality VARCHAR,
  email VARCHAR, -- names a person
  phone VARCHAR, -- names a person
  pronet VARCHAR, -- names a person
  microblog VARCHAR, -- names a person
  socialnet VARCHAR, -- names a person
  extra JSON, -- names a person
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Each time a company's listing named a person. Equal rows repeat where a page was read twice. is_whole is false where the
-- listing states the name of the person and of the company, and nothing else: the details have the rest.
CREATE TABLE ledger.people_listed (
  stream VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  company_id BIGINT NOT NULL,
  person_id BIGINT NOT NULL,
  record_hash VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  is_whole BOOLEAN DEFAULT true
);

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

-- Each time the details of a person were read. `stream`: the stream that lists the person.
CREATE TABLE ledger.people_details (
  stream VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  person_id BIGINT NOT NULL,
  record_hash VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL
);

-- Answers about owners, one row for each company, threshold and distinct answer. The payload is the answer as landed.
CREATE TABLE ledger.owner_records (
  company_id BIGINT NOT NULL,
  threshold DOUBLE NOT NULL,
  record_hash VARCHAR NOT NULL,
  conclusive BOOLEAN,
  job_id VARCHAR,
  payload JSON NOT NULL, -- names a person if NOT without_personal_data
  without_personal_data BOOLEAN NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Each time the API answered a threshold of a company. Equal rows repeat where an answer was read twice.
CREATE TABLE ledger.owner_answers (
  company_id BIGINT NOT NULL,
  threshold DOUBLE NOT NULL,
  record_hash VARCHAR NOT NULL,
  market VARCHAR,
  observed_at TIMESTAMPTZ NOT NULL
);

-- Each landed row about an enrichment job of owners: its start, each changed state, and its end.
CREATE TABLE ledger.owner_jobs (
  company_id BIGINT NOT NULL,
  run VARCHAR NOT NULL,
  market VARCHAR,
  state VARCHAR NOT NULL,
  job_id VARCHAR,
  payload JSON, -- names a person if NOT without_personal_data
  without_personal_data BOOLEAN NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Answers to payee checks, one row each; question is the payee's canonical JSON, without account numbers.
CREATE TABLE ledger.payee_checks (
  question VARCHAR NOT NULL,
  -- new: checked by its account; again: checked by the id of an earlier check.
  kind VARCHAR NOT NULL,
  request JSON, -- names a person if NOT payee_is_masked(request)
  check_id VARCHAR,
  decision VARCHAR,
  calls INTEGER NOT NULL,
  payload JSON NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Reports of payee checks, one row for each answer.
CREATE TABLE ledger.payee_reports (
  check_id VARCHAR NOT NULL,
  decision VARCHAR,
  payload JSON NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Answers to the questions of `tidemark resolve`, one row per answer: one question may need several requests. doc is NULL
-- for "not found". The model core.matches scores the candidates, so that a better score needs no new request.
CREATE TABLE ledger.match_answers (
  question VARCHAR NOT NULL, -- names a person if question_names_person(question)
  run VARCHAR NOT NULL,
  request_key VARCHAR NOT NULL,
  kind VARCHAR,
  doc JSON,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Decisions of people about ambiguous questions. company_id NULL: none of the candidates.
CREATE TABLE ledger.match_decisions (
  question VARCHAR NOT NULL, -- names a person if question_names_person(question)
  company_id BIGINT,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Answers to the questions of `tidemark enrich --people`. Personal data: exists only with `personalData: contacts`.
-- doc is NULL for "not found".
CREATE TABLE ledger.enrichment_answers (
  question VARCHAR NOT NULL, -- names a person
  run VARCHAR NOT NULL,
  request_key VARCHAR NOT NULL,
  doc JSON,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Readings of the contact metrics, one row per answer.
CREATE TABLE ledger.contact_metrics (
  date DATE NOT NULL,
  email_count BIGINT,
  phone_count BIGINT,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Exchange rates of the file that `fx.file` in tidemark.yaml names.
CREATE TABLE ledger.fx_rates (
  date DATE NOT NULL,
  currency VARCHAR NOT NULL, -- ISO 4217
  rate DOUBLE NOT NULL, -- units of `currency` for one unit of the base currency
  source VARCHAR NOT NULL -- `fx.file`, as in tidemark.yaml
);

-- Rows of the file that are not used, with the reason.
CREATE TABLE ledger.fx_refused (
  line BIGINT NOT NULL, -- number of the row in the file, from 1, without the header
  date VARCHAR,
  currency VARCHAR,
  rate VARCHAR,
  reason VARCHAR NOT NULL
);

-- One row while `fx` is set; else empty.
CREATE TABLE ledger.fx_settings (base VARCHAR NOT NULL, reporting VARCHAR NOT NULL);

-- Stamp of the file from which the exchange rates were read. Empty while none was read.
CREATE TABLE ledger.fx_file (stamp VARCHAR NOT NULL);

-- What changed since the models last ran; emptied by the transaction that runs them.
CREATE TABLE ledger.dirty_companies (company_id BIGINT NOT NULL, since TIMESTAMPTZ NOT NULL);
CREATE TABLE ledger.dirty_reports (company_id BIGINT NOT NULL);
CREATE TABLE ledger.dirty_tenders (slug VARCHAR NOT NULL);
CREATE TABLE ledger.dirty_nights (market VARCHAR NOT NULL, date DATE NOT NULL);
CREATE TABLE ledger.dirty_runs (run VARCHAR NOT NULL);

-- Rates that changed since the last build of the models. NULL, NULL: `base` or `reporting` changed.
CREATE TABLE ledger.dirty_rates (currency VARCHAR, date DATE);

CREATE TABLE base.models (
  model VARCHAR NOT NULL,
  version INTEGER NOT NULL,
  kind VARCHAR NOT NULL,
  fingerprint VARCHAR NOT NULL,
  applied_at TIMESTAMPTZ NOT NULL,
  state VARCHAR NOT NULL,
  definition VARCHAR,
  table_name VARCHAR,
  deprecation_date DATE,
  PRIMARY KEY (model, version)
);
COMMENT ON TABLE base.models IS 'Versions of models as last applied; meta.models shows them.';
COMMENT ON COLUMN base.models.model IS 'Name of the model';
COMMENT ON COLUMN base.models.version IS 'Version of the model';
COMMENT ON COLUMN base.models.kind IS 'table, incremental or view';
COMMENT ON COLUMN base.models.fingerprint IS 'Hash of everything that the model is built from';
COMMENT ON COLUMN base.models.applied_at IS 'When this fingerprint was first applied';
COMMENT ON COLUMN base.models.state IS 'current, deprecated or retired';
COMMENT ON COLUMN base.models.definition IS 'Text of the model file';
COMMENT ON COLUMN base.models.table_name IS 'Table that the version makes; NULL if retired';
COMMENT ON COLUMN base.models.deprecation_date IS 'Last day on which a deprecated version is published';

CREATE TABLE base.checks (
  model VARCHAR NOT NULL,
  "check" VARCHAR NOT NULL,
  failing_rows BIGINT NOT NULL,
  severity VARCHAR NOT NULL,
  "at" TIMESTAMPTZ NOT NULL,
  examples VARCHAR[],
  PRIMARY KEY (model, "check")
);
COMMENT ON TABLE base.checks IS 'Last result of each audit; ops.checks shows them.';
COMMENT ON COLUMN base.checks.model IS 'Model';
COMMENT ON COLUMN base.checks."check" IS 'Name of the audit';
COMMENT ON COLUMN base.checks.failing_rows IS 'Number of wrong rows';
COMMENT ON COLUMN base.checks.severity IS 'error or warn';
COMMENT ON COLUMN base.checks."at" IS 'When the audit last ran';
COMMENT ON COLUMN base.checks.examples IS 'Values that the audit counts, at most five';

CREATE TABLE base.model_sets (
  set_id INTEGER PRIMARY KEY,
  origin VARCHAR NOT NULL,
  of_set INTEGER,
  applied_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE base.model_sets IS 'Sets of models, in the order in which they were applied. While the last one is a rollback, runs use the restored set.';
COMMENT ON COLUMN base.model_sets.set_id IS 'Number of the set, from 1';
COMMENT ON COLUMN base.model_sets.origin IS 'What applied the set: run, replay, apply or rollback';
COMMENT ON COLUMN base.model_sets.of_set IS 'Set that a rollback restored; else NULL';
COMMENT ON COLUMN base.model_sets.applied_at IS 'When the set was applied';

-- Their files: models, and the macros and seeds they were built with.
CREATE TABLE ledger.model_set_files (
  set_id INTEGER NOT NULL,
  file VARCHAR NOT NULL,
  sha256 VARCHAR NOT NULL,
  PRIMARY KEY (set_id, file)
);
CREATE TABLE ledger.model_texts (sha256 VARCHAR PRIMARY KEY, text VARCHAR NOT NULL);

CREATE TABLE base.model_changes (
  change_id BIGINT NOT NULL,
  table_name VARCHAR NOT NULL,
  version INTEGER, -- NULL: the table was removed
  previous_version INTEGER, -- NULL: the table was added
  change VARCHAR NOT NULL,
  because VARCHAR[] NOT NULL,
  effects VARCHAR[] NOT NULL,
  rows_before BIGINT,
  rows_after BIGINT,
  origin VARCHAR NOT NULL,
  applied_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE base.model_changes IS 'What each change of a model did to its table; meta.model_changes shows them.';
COMMENT ON COLUMN base.model_changes.change_id IS 'Number of the change, from 1';
COMMENT ON COLUMN base.model_changes.table_name IS 'Table that the model makes';
COMMENT ON COLUMN base.model_changes.version IS 'Version after the change; NULL if the table was removed';
COMMENT ON COLUMN base.model_changes.previous_version IS 'Version before the change; NULL if the table was added';
COMMENT ON COLUMN base.model_changes.change IS 'added, removed, directly modified or indirectly modified';
COMMENT ON COLUMN base.model_changes.because IS 'Cause of an indirect modification';
COMMENT ON COLUMN base.model_changes.effects IS 'Differences of columns, key and grain';
COMMENT ON COLUMN base.model_changes.rows_before IS 'Rows of the table before the change';
COMMENT ON COLUMN base.model_changes.rows_after IS 'Rows of the table after the change';
COMMENT ON COLUMN base.model_changes.origin IS 'What applied the change';
COMMENT ON COLUMN base.model_changes.applied_at IS 'When the change was applied';

-- For each model: hashes of all inputs of its last build and of its last audits.
CREATE TABLE ledger.model_inputs (
  model VARCHAR NOT NULL,
  built_from VARCHAR NOT NULL,
  audited_from VARCHAR NOT NULL
);

-- Nights of the models that builds change by night (`incremental.by` has `date`): those that have rows or had some.
CREATE TABLE ledger.model_nights (
  model VARCHAR NOT NULL,
  date DATE NOT NULL,
  change VARCHAR NOT NULL -- random id of the last change
);

-- The last change of each table: tables of `ledger` and `base`, and tables of models. The build of the models skips the
-- models whose tables have no other change than at the last build. The lake keeps the files of unchanged tables.
CREATE TABLE ledger.table_changes (
  table_name VARCHAR NOT NULL, -- with schema: ledger.answers, core.companies
  change VARCHAR NOT NULL -- random: a replayed or restored warehouse never has the change of another one by chance
);

-- With which settings the models were last built, in one row.
CREATE TABLE ledger.built_from (
  personal_data BOOLEAN NOT NULL, -- whether names and contact data of people are kept
  had_personal_data BOOLEAN NOT NULL -- whether an earlier build kept them, since the file was last written again
);
INSERT INTO ledger.built_from VALUES (false, false);
