-- Streams of which staging now keeps more than it did when they were loaded. Their parts are read again by the next load,
-- which takes a stream off this list (src/warehouse/read-again.ts).
CREATE TABLE ledger.streams_to_read_again (stream VARCHAR PRIMARY KEY);
INSERT INTO ledger.streams_to_read_again
SELECT DISTINCT stream FROM ledger.loaded_parts WHERE stream IN ('watch_events', 'tenders', 'tender_details');
