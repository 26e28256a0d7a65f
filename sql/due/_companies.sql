-- Creates tables about each company that the run knows: requests and answers in the plan's stream, later searches, and
-- events.

-- The night that was the market's current night when this run began.
CREATE OR REPLACE TEMP TABLE night_before AS
SELECT
  r.run,
  TRY_CAST(r.body ->> '$.finished_at' AS TIMESTAMPTZ) AS as_of,
  r.body ->> '$.filters' AS filters,
  -- True if the night's coverage is proven. Uses the same rule as ops.coverage.is_proven. The table ops.coverage itself
  -- may be older than the loaded records.
  EXISTS (
    FROM ledger.run_records AS c
    WHERE c.stream = 'coverage' AND c.run = r.run AND c.record_key = p.market
      AND (c.body ->> '$.missing') = '0'
      AND coalesce(json_array_length(c.body, '$.why'), 0) = 0
      AND CAST(c.body ->> '$.distinct_companies' AS BIGINT)
        = coalesce((SELECT s.companies FROM base.market_runs AS s WHERE s.run = r.run AND s.market = p.market), 0)
  ) AS is_complete
FROM ledger.run_records AS r
JOIN plan AS p ON p.market = (r.body ->> '$.market')
WHERE r.stream = 'runs'
  AND r.run <> p.run
  AND (r.body ->> '$.as_of_now') = 'true'
  AND (r.body ->> '$.finished_at') IS NOT NULL
  AND (r.body ->> '$.crawled') IN ('complete', 'partial')
  AND (r.body ->> '$.held_back') IS NULL
  AND r.run IN (SELECT run FROM ledger.observations WHERE stream = 'prospecting' AND readable)
ORDER BY (r.body ->> '$.date') DESC, as_of DESC, r.run DESC
LIMIT 1;

-- Companies that the searches of this run found, and members of the night before.
CREATE OR REPLACE TEMP TABLE run_numbers AS
SELECT market, run_no, run = (SELECT run FROM plan) AS is_now
FROM base.market_runs
WHERE run IN (SELECT run FROM plan UNION ALL SELECT run FROM night_before);

CREATE OR REPLACE TEMP TABLE found_companies AS
SELECT s.company_id, n.is_now
FROM run_numbers AS n
JOIN base.market_stays AS s
  ON s.market IS NOT DISTINCT FROM n.market AND s.from_no <= n.run_no AND s.to_no >= n.run_no
UNION
SELECT company_id, true FROM ledger.pending_sightings WHERE run = (SELECT run FROM plan);

-- Companies that left the market: members of the night before that this run's search of the whole market did not find.
-- The run fetches their record once, because it may say why they left. After a change of the market's filters, a company
-- may be absent for that reason alone.
CREATE OR REPLACE TEMP TABLE left_companies AS
SELECT m.company_id
FROM (FROM found_companies WHERE NOT is_now) AS m
CROSS JOIN night_before AS n
JOIN plan AS p ON p.stream = 'companies' AND p.known = 'sighted' AND p.whole_market
ANTI JOIN (FROM found_companies WHERE is_now) AS f USING (company_id)
JOIN ledger.run_records AS r ON r.stream = 'runs' AND r.run = p.run AND (r.body ->> '$.filters') = n.filters
JOIN ledger.answers AS a ON a.stream = p.stream AND a.entity_id = CAST(m.company_id AS VARCHAR) AND a.answered_at < n.as_of;

-- The companies from which the run selects those that are due:
-- - a run with its own search: the companies that this search found, and those that left
-- - a run without a search: the members of the night before
-- - a run without a market: every company that was ever in a market
CREATE OR REPLACE TEMP TABLE known_companies AS
SELECT company_id FROM found_companies WHERE is_now AND (SELECT known FROM plan) = 'sighted'
UNION
FROM left_companies
UNION
SELECT company_id FROM found_companies WHERE NOT is_now AND (SELECT known FROM plan) = 'members'
UNION
SELECT company_id FROM base.company_seen
WHERE (SELECT known = 'members' AND market IS NULL FROM plan)
  -- Leave out companies that are known only from an answer to `tidemark resolve`.
  AND (sighted_at IS NOT NULL OR company_id NOT IN (
    SELECT company_id FROM ledger.observations WHERE stream = 'matches' AND company_id IS NOT NULL
  ));

-- One row per known company. A search or event makes a company due only if it is newer than the company's last answer.
CREATE OR REPLACE TEMP TABLE asked_companies AS
WITH asked AS (
  SELECT entity_id, max(observed_at) AS asked_at
  FROM ledger.observations
  WHERE stream = (SELECT stream FROM plan)
  GROUP BY entity_id
),

events AS (
  SELECT company_id, max(occurred_at) AS occurred_at
  FROM ledger.received_events
  WHERE occurred_at <= (SELECT now FROM plan)
  GROUP BY company_id
)

SELECT
  k.company_id,
  CAST(k.company_id AS VARCHAR) AS entity_id,
  a.answered_at,
  q.asked_at IS NULL AS never_asked,
  coalesce(
    s.first_seen_at >= (SELECT min(observed_at) FROM ledger.observations WHERE run = p.run AND stream = 'prospecting'),
    false
  ) AS is_new,
  coalesce(q.asked_at > a.answered_at, q.asked_at IS NOT NULL) AS is_failed,
  coalesce(e.occurred_at > a.answered_at, false) AS has_event,
  -- True if the company is in the market now, was not in it the night before, and has no answer since that night. An
  -- incomplete night before does not count, because it does not prove that the company was absent.
  coalesce(p.known = 'sighted' AND n.is_complete AND n.as_of > a.answered_at AND m.company_id IS NULL, false) AS has_entered,
  k.company_id IN (FROM left_companies) AS has_left,
  coalesce(
    p.refresh_seconds = 0
    OR a.answered_at <= p.now - to_seconds(p.refresh_seconds)
    -- An answer dated more than a day in the future comes from a wrong clock. Its age is unknown, so fetch the company
    -- again.
    OR a.answered_at > p.now + INTERVAL 1 DAY,
    false
  ) AS is_stale
FROM known_companies AS k
CROSS JOIN plan AS p
LEFT JOIN night_before AS n ON true
LEFT JOIN (FROM found_companies WHERE NOT is_now) AS m ON m.company_id = k.company_id
LEFT JOIN base.company_seen AS s ON s.company_id = k.company_id
LEFT JOIN ledger.answers AS a ON a.stream = p.stream AND a.entity_id = CAST(k.company_id AS VARCHAR)
LEFT JOIN asked AS q ON q.entity_id = CAST(k.company_id AS VARCHAR)
LEFT JOIN events AS e ON e.company_id = k.company_id;
