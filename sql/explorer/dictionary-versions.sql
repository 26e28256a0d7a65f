-- Versions of the models, the latest first.
SELECT model, version, state, applied_at, deprecation_date FROM meta.models ORDER BY model, version DESC
