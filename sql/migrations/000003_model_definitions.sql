-- What a model was when it was applied: `tidemark models plan` compares the file of today with it. NULL for models applied before.
ALTER TABLE ledger.models ADD COLUMN definition VARCHAR;
