-- Stamp of the file from which the exchange rates were read. Empty while none was read.
CREATE TABLE ledger.fx_file (stamp VARCHAR NOT NULL);
