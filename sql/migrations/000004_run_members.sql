-- Whom a run found in its market, and on which night each was last found: those its own searches sighted, and those it
-- did not ask for since an earlier night had found them.
CREATE VIEW ledger.run_members AS
SELECT run, market, date, company_id, date AS seen_on
FROM ledger.market_sightings
UNION ALL
SELECT run, market, date, unnest(CAST(json_extract(body, '$.company_ids') AS BIGINT[])), CAST(record_key AS DATE)
FROM ledger.run_records
WHERE stream = 'carried';
