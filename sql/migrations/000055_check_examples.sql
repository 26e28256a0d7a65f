-- Values that an audit counts, for people to read.
ALTER TABLE ledger.checks ADD COLUMN examples VARCHAR[];
