-- When `extra` was said: of fields that make no new record the latest values stand, of all others the first.
ALTER TABLE ledger.company_records ADD COLUMN extra_at TIMESTAMPTZ;
UPDATE ledger.company_records SET extra_at = observed_at;
