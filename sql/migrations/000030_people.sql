-- People as the API lists them, one row for each person and distinct record. Personal fields are NULL unless they were
-- landed (`personalData: contacts`).
CREATE TABLE ledger.people (
  stream VARCHAR NOT NULL,
  person_id BIGINT NOT NULL,
  record_hash VARCHAR NOT NULL,
  company_name VARCHAR,
  title VARCHAR,
  full_name VARCHAR,
  first_name VARCHAR,
  last_name VARCHAR,
  patronymic VARCHAR,
  gender VARCHAR,
  seniority VARCHAR[],
  department VARCHAR[],
  function VARCHAR,
  nationality VARCHAR,
  email VARCHAR,
  phone VARCHAR,
  pronet VARCHAR,
  microblog VARCHAR,
  socialnet VARCHAR,
  extra JSON,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Each time a company's listing named a person. Equal rows repeat where a page was read twice.
CREATE TABLE ledger.people_listed (
  stream VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  company_id BIGINT NOT NULL,
  person_id BIGINT NOT NULL,
  record_hash VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL
);
