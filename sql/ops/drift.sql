/*
model: ops.drift
kind: table
version: 1
grain: difference between the API's answers and its reference
key: [route, path, kind, type]
nullable: [type]
description: >-
  Schema drift: fields that the API reference lacks, values of another type, and declared fields that no body of a run had. No
  data is lost: the landing zone keeps all bodies as received.
columns:
  stream: VARCHAR | Landing stream
  route: VARCHAR | Method and path of the API route
  path: VARCHAR | JSON path; [] means the items of an array, * the years of a report
  kind: VARCHAR | new field, changed type, or missing (declared, but absent from all bodies of a run with enough of them)
  type: VARCHAR | Type received (string, number, boolean, array, object, null or mixed); NULL for missing
  expected: VARCHAR | Types that the reference states; NULL for a new field
  first_seen: TIMESTAMPTZ | When the difference was first received
  first_run: VARCHAR | Run that first received the difference
  last_seen: TIMESTAMPTZ | When the difference was last received
  last_run: VARCHAR | Run that last received the difference
  bodies: BIGINT | Bodies of last_run with this difference
  share: DOUBLE | Share of last_run's bodies of the route that have this difference, 0 to 1
  sample: VARCHAR | A value as JSON, cut to 60 characters; NULL for arrays, objects, missing fields, and values that may be about a person
*/
WITH totals AS (
  SELECT stream, route, run, sum(bodies) AS bodies, min(first_seen) AS first_seen, max(last_seen) AS last_seen
  FROM ledger.shapes
  WHERE kind = 'bodies'
  GROUP BY ALL
),

deviating AS (
  SELECT s.stream, s.route, s.run, s.path, s.kind, s.type, sum(s.bodies) AS bodies, min(s.first_seen) AS first_seen,
    max(s.last_seen) AS last_seen, arg_min(s.sample, (s.first_seen, s.sample)) AS sample
  FROM ledger.shapes AS s
  LEFT JOIN seed_fields AS f USING (stream, route, path)
  -- Skip fields and types that the current version of the reference declares.
  WHERE (s.kind = 'new field' AND f.path IS NULL)
    OR (s.kind = 'changed type' AND NOT coalesce(list_contains(f.types, s.type), false))
  GROUP BY ALL
),

missing AS (
  SELECT t.stream, t.route, t.run, f.path, 'missing' AS kind, CAST(NULL AS VARCHAR) AS type, t.bodies, t.first_seen,
    t.last_seen, CAST(NULL AS VARCHAR) AS sample
  FROM totals AS t
  JOIN seed_fields AS f ON f.stream = t.stream AND f.route = t.route AND t.bodies >= f.enough
  WHERE (t.route, t.run, f.path) NOT IN (SELECT (route, run, path) FROM ledger.shapes)
    -- If an object is missing, do not also report its fields as missing.
    AND (t.route, t.run, f.parent) IN (SELECT (route, run, path) FROM ledger.shapes)
),

found AS (
  SELECT * FROM deviating
  UNION ALL
  SELECT * FROM missing
)

SELECT
  f.stream,
  f.route,
  f.path,
  f.kind,
  f.type,
  any_value(CASE WHEN f.kind <> 'new field' THEN array_to_string(d.types, ' or ') END) AS expected,
  min(f.first_seen) AS first_seen,
  arg_min(f.run, (f.first_seen, f.run)) AS first_run,
  max(f.last_seen) AS last_seen,
  arg_max(f.run, (f.last_seen, f.run)) AS last_run,
  CAST(arg_max(f.bodies, (f.last_seen, f.run)) AS BIGINT) AS bodies,
  CAST(arg_max(f.bodies / t.bodies, (f.last_seen, f.run)) AS DOUBLE) AS share,
  arg_min(f.sample, (f.first_seen, f.sample)) AS sample
FROM found AS f
JOIN totals AS t ON t.stream = f.stream AND t.route = f.route AND t.run = f.run
LEFT JOIN seed_fields AS d ON d.stream = f.stream AND d.route = f.route AND d.path = f.path
GROUP BY ALL
