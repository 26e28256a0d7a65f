-- Changes of one company, newest first.
SELECT changed_at, kind, market, field, fiscal_year, old_value, new_value, event_id
FROM marts.changes
WHERE company_id = $id
ORDER BY changed_at DESC, kind, field
LIMIT 500
