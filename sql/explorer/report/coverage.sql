-- The latest finished search of each market, with its certificate as a list.
WITH latest AS (
  SELECT c.market, c.run, c.reported_total, c.distinct_companies, c.missing, c.share, c.certificate, r.date
  FROM ops.coverage AS c
  JOIN ops.runs AS r ON r.run_id = c.run
  QUALIFY row_number() OVER (PARTITION BY c.market ORDER BY r.started_at DESC, r.run_id DESC) = 1
)

SELECT market, run, date, reported_total, distinct_companies, missing, share,
  list_filter(
    list_transform(['proven', 'moved', 'unsplittable', 'unproven', 'unusable'], lambda class: {
      'class': class,
      'found': coalesce(TRY_CAST(certificate ->> class ->> 'found' AS BIGINT), 0),
      'missing': coalesce(TRY_CAST(certificate ->> class ->> 'missing' AS BIGINT), 0)
    }),
    lambda part: part.found > 0 OR part.missing > 0
  ) AS classes
FROM latest
ORDER BY market
