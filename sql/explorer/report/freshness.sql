SELECT f.market, f.stream, date_diff('day', f.answered_on, CAST(m.built_at AT TIME ZONE 'UTC' AS DATE)) AS days,
  sum(f.companies) AS companies
FROM ops.freshness AS f
CROSS JOIN (SELECT max(built_at) AS built_at FROM meta.receipt) AS m
GROUP BY ALL
ORDER BY market, stream, days NULLS LAST
