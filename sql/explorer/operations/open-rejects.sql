-- Open rejects with their raw values, the latest first.
SELECT stream, entity_id, reason, path, left(raw, 2000) AS raw, first_seen, last_seen FROM ops.rejects
WHERE resolved_at IS NULL ORDER BY last_seen DESC, stream, entity_id LIMIT 300
