-- Values name their report by a number: company, interface and hash beside each of them were most of what a load wrote.
CREATE TABLE ledger.numbered_reports (
  report_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL,
  source VARCHAR NOT NULL,
  report_hash VARCHAR NOT NULL,
  clean BOOLEAN NOT NULL
);
INSERT INTO ledger.numbered_reports
SELECT row_number() OVER (), company_id, source, report_hash, clean FROM ledger.reports;

-- fiscal_year and indicator NULL as before. report_date: of v1 only.
CREATE TABLE ledger.numbered_values (
  report_id BIGINT NOT NULL,
  fiscal_year INTEGER,
  report_date DATE,
  indicator VARCHAR,
  value_double DOUBLE,
  value_text VARCHAR
);
INSERT INTO ledger.numbered_values
SELECT r.report_id, v.fiscal_year, v.report_date, v.indicator, v.value_double, v.value_text
FROM ledger.report_values AS v
JOIN ledger.numbered_reports AS r USING (company_id, source, report_hash);

-- What v1 says beside a value.
CREATE TABLE ledger.v1_values (
  report_id BIGINT NOT NULL,
  report_date DATE NOT NULL,
  indicator VARCHAR NOT NULL,
  progress DOUBLE,
  processed_at TIMESTAMPTZ,
  modified_at TIMESTAMPTZ,
  source_processed_on DATE
);
INSERT INTO ledger.v1_values
SELECT r.report_id, v.report_date, v.indicator, v.progress, v.processed_at, v.modified_at, v.source_processed_on
FROM ledger.report_values AS v
JOIN ledger.numbered_reports AS r USING (company_id, source, report_hash)
WHERE v.source = 'v1' AND v.indicator IS NOT NULL;

DROP TABLE ledger.report_values;
DROP TABLE ledger.reports;
ALTER TABLE ledger.numbered_values RENAME TO report_values;
ALTER TABLE ledger.numbered_reports RENAME TO reports;
