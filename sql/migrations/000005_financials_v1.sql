-- Version 1 of the API reports by day, not by year, and says more of each report and value. NULL for version 2.
ALTER TABLE ledger.report_values ADD COLUMN report_date DATE;
ALTER TABLE ledger.report_values ADD COLUMN progress DOUBLE;
ALTER TABLE ledger.report_values ADD COLUMN processed_at TIMESTAMPTZ;
ALTER TABLE ledger.report_values ADD COLUMN modified_at TIMESTAMPTZ;
ALTER TABLE ledger.report_values ADD COLUMN source_processed_on DATE;

-- Year and indicator NULL: a report of the answer has no readable date, so what the answer lacks may be in that one.
ALTER TABLE ledger.report_values ALTER COLUMN fiscal_year DROP NOT NULL;
