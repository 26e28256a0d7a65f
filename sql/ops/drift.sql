/*
model: ops.drift
kind: table
version: 1
grain: thing in what the API says that is not as its reference declares
key: [route, path, kind, type]
nullable: [type]
description: >-
  Schema drift: fields the reference does not have, values of another type than it states, and declared fields that none of a
  run's bodies had. Nothing is lost by it: the bodies lie in the landing zone as they came.
columns:
  stream: VARCHAR | Landing stream
  route: VARCHAR | Method and path that answers so
  path: VARCHAR | JSON path; [] stands for the items of an array, * for the years of a report
  kind: VARCHAR | new field, changed type, or missing (declared, and in none of the bodies of a run that had enough of them)
  type: VARCHAR | Type that came (string, number, boolean, array, object, null, or mixed); NULL where nothing came
  expected: VARCHAR | Types the reference states; NULL for a new field
  first_seen: TIMESTAMPTZ | When it was first received
  first_run: VARCHAR | Run that first received it
  last_seen: TIMESTAMPTZ | When it was last received
  last_run: VARCHAR | Run that last received it
  bodies: BIGINT | Bodies of that run in which it was so
  share: DOUBLE | Their share of the run's bodies of the route, 0 to 1
  sample: VARCHAR | A value as JSON, cut to 60 characters; NULL for arrays and objects, and where it may be about a person
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
  -- What a newer reference declares is no drift any more.
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
    -- Of an object that was nowhere nothing else is said.
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
