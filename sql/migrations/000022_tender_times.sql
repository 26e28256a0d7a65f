-- Wall-clock times of tenders, without zone as the API states them. NULL where only a day is stated.
ALTER TABLE ledger.tender_records ADD COLUMN announced_at TIMESTAMP;
ALTER TABLE ledger.tender_records ADD COLUMN deadline_at TIMESTAMP;
ALTER TABLE ledger.tender_versions ADD COLUMN announced_at TIMESTAMP;
ALTER TABLE ledger.tender_versions ADD COLUMN deadline_at TIMESTAMP;
