SELECT route, path, kind, type, expected, first_seen, last_seen, bodies, share, sample
FROM ops.drift
ORDER BY last_seen DESC, first_seen DESC, route, path
LIMIT 60
