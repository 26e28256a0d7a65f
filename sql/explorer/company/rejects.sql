-- Values of one company that could not be used.
SELECT stream, reason, path, raw, first_seen, last_seen, resolved_at
FROM ops.rejects
WHERE entity_id = CAST($id AS VARCHAR) AND stream NOT LIKE 'tender%'
ORDER BY resolved_at IS NOT NULL, last_seen DESC
LIMIT 50
