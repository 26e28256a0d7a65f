-- Moves the pending sightings of a run to base.market_stays. The variables fold_run and fold_market name the run and its
-- market. Runs may be loaded in any order: each gets the next number of its market, and the stays say exactly which runs
-- found a company. Only the number of rows depends on the order.
CREATE OR REPLACE TEMP TABLE found AS
SELECT company_id, date
FROM ledger.pending_sightings
WHERE run = getvariable('fold_run') AND market IS NOT DISTINCT FROM CAST(getvariable('fold_market') AS VARCHAR);

DELETE FROM ledger.pending_sightings
WHERE run = getvariable('fold_run') AND market IS NOT DISTINCT FROM CAST(getvariable('fold_market') AS VARCHAR);

-- A run that has a number already gets the companies of a part that was loaded later than its other parts.
SET VARIABLE fold_late = (
  SELECT any_value(run_no)
  FROM base.market_runs
  WHERE run = getvariable('fold_run') AND market IS NOT DISTINCT FROM CAST(getvariable('fold_market') AS VARCHAR)
);

SET VARIABLE fold_last = (
  SELECT coalesce(max(run_no), 0) FROM base.market_runs WHERE market IS NOT DISTINCT FROM CAST(getvariable('fold_market') AS VARCHAR)
);

-- A new run: the stays of companies that it did not find end with the run before.
UPDATE base.market_stays
SET to_no = CAST(getvariable('fold_last') AS INTEGER)
WHERE getvariable('fold_late') IS NULL
  AND market IS NOT DISTINCT FROM CAST(getvariable('fold_market') AS VARCHAR)
  AND to_no = 2147483647
  AND company_id NOT IN (SELECT company_id FROM found);

INSERT INTO base.market_stays BY NAME
WITH numbers AS (
  SELECT coalesce(getvariable('fold_late'), getvariable('fold_last') + 1) AS run_no
)
SELECT
  CAST(getvariable('fold_market') AS VARCHAR) AS market,
  f.company_id,
  run_no AS from_no,
  CASE WHEN run_no < getvariable('fold_last') THEN run_no ELSE 2147483647 END AS to_no
FROM found AS f
CROSS JOIN numbers
ANTI JOIN (
  SELECT company_id
  FROM base.market_stays
  CROSS JOIN numbers
  WHERE market IS NOT DISTINCT FROM CAST(getvariable('fold_market') AS VARCHAR)
    AND from_no <= run_no
    AND to_no >= run_no
) AS known ON known.company_id = f.company_id;

MERGE INTO base.market_runs AS old
USING (
  SELECT CAST(getvariable('fold_market') AS VARCHAR) AS market, getvariable('fold_last') + 1 AS run_no, getvariable('fold_run') AS run,
    any_value(date) AS date, count(*) AS companies
  FROM found
) AS new ON old.run = new.run AND old.market IS NOT DISTINCT FROM new.market
WHEN MATCHED THEN UPDATE SET companies = old.companies + new.companies
WHEN NOT MATCHED THEN INSERT VALUES (new.market, new.run_no, new.run, new.date, new.companies);
