/*
model: ops.coverage
kind: incremental
version: 1
grain: market of a run
key: [run, market]
description: >-
  How many companies of a market each run found, and how many are missing, with a reason for each gap. Each company belongs to one
  class. proven: found in a segment whose pages listed exactly its total. moved: in a segment that changed while it was read.
  unsplittable: in a search above the page cap that no filter splits further. unusable: listed with an id that the warehouse
  cannot hold. unproven: all others. why has one more class, unloaded: counted by the searches, but not in the warehouse.
incremental:
  by: [run]
  changed: SELECT DISTINCT run FROM ledger.dirty_runs
  all: SELECT DISTINCT run FROM ledger.run_records
columns:
  run: VARCHAR | Run
  market: VARCHAR | Market
  reported_total: BIGINT | Companies that the API reports for the whole market, requested again at the end of the crawl
  distinct_companies: BIGINT | Distinct companies that the searches found and the warehouse holds; includes companies that have gone since then
  missing: BIGINT | reported_total minus distinct_companies, at least 0
  share: DOUBLE | distinct_companies divided by reported_total, 0 to 1; NULL if unknown, because the API caps its totals or contradicts them
  why: JSON | Segments with a gap, each with its filters, missing count, class and reason, and the reason's code and values
  certificate: JSON | Companies found and missing by class; the field gone is the number of found companies that the API no longer counted at the end of the crawl
  carried: JSON | Always NULL, because each run searches the whole market and takes over no companies of earlier nights
  counted_companies: BIGINT | Distinct companies that the run's searches counted while they ran
  loaded_companies: BIGINT | Distinct companies of the run's searches that the warehouse holds
  is_proven: BOOLEAN | True if no company is missing or uncertain, and the warehouse holds the number that the run counted
*/
WITH recorded AS (
  SELECT
    r.run,
    r.record_key AS market,
    r.body,
    TRY_CAST(r.body ->> '$.reported_total' AS BIGINT) AS reported_total,
    TRY_CAST(r.body ->> '$.distinct_companies' AS BIGINT) AS counted_companies
  FROM ledger.run_records AS r
  SEMI JOIN changed USING (run)
  WHERE r.stream = 'coverage'
),

loaded AS (
  SELECT run, market, CAST(sum(companies) AS BIGINT) AS companies
  FROM (
    SELECT run, market, companies FROM base.market_runs
    UNION ALL
    SELECT run, market, count(DISTINCT company_id) FROM ledger.pending_sightings GROUP BY ALL
  )
  SEMI JOIN changed USING (run)
  GROUP BY ALL
),

judged AS (
  SELECT
    c.*,
    coalesce(l.companies, 0) AS loaded_companies,
    least(c.counted_companies, loaded_companies) AS found,
    greatest(c.reported_total - found, 0) AS missing,
    found = c.counted_companies AS is_as_recorded,
    list_concat(
      json_items(json_extract(c.body, '$.why')),
      CASE WHEN loaded_companies <> c.counted_companies THEN [to_json({
        'segment': 'root', 'filters': CAST('{}' AS JSON), 'missing': greatest(c.counted_companies - loaded_companies, 0),
        'class': 'unloaded',
        'reason': format('The searches counted {:,} companies, but the warehouse holds {:,} of this run; `tidemark rejects` lists those that it could not load.',
          c.counted_companies, loaded_companies),
        'code': 'unloaded',
        'values': {'counted': c.counted_companies, 'loaded': loaded_companies}
      })] ELSE CAST([] AS JSON[]) END
    ) AS gaps
  FROM recorded AS c
  LEFT JOIN loaded AS l ON l.run = c.run AND l.market = c.market
)

SELECT
  run,
  market,
  reported_total,
  found AS distinct_companies,
  CASE WHEN is_as_recorded THEN TRY_CAST(body ->> '$.missing' AS BIGINT) ELSE missing END AS missing,
  CASE
    WHEN is_as_recorded OR json_type(body, '$.share') = 'NULL' THEN TRY_CAST(body ->> '$.share' AS DOUBLE)
    WHEN reported_total > 0 THEN least(1, found / reported_total)
    ELSE 0
  END AS share,
  CASE WHEN len(gaps) = json_array_length(body, '$.why') THEN json_extract(body, '$.why') ELSE to_json(gaps) END AS why,
  json_extract(body, '$.certificate') AS certificate,
  CAST(NULL AS JSON) AS carried,
  counted_companies,
  loaded_companies,
  coalesce(TRY_CAST(body ->> '$.missing' AS BIGINT) = 0 AND len(gaps) = 0 AND is_as_recorded, false) AS is_proven
FROM judged
