SELECT stream, reason, min(path) AS path, count(*) FILTER (resolved_at IS NULL) AS standing,
  count(*) FILTER (resolved_at IS NOT NULL) AS resolved, max(last_seen) AS last_seen
FROM ops.rejects
GROUP BY stream, reason
ORDER BY standing DESC, resolved DESC, stream, reason
LIMIT 40
