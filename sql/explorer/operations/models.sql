-- The models of this file, the latest change first.
SELECT model, version, kind, state, applied_at, deprecation_date, held_since
FROM meta.models
ORDER BY applied_at DESC, model
LIMIT 200
