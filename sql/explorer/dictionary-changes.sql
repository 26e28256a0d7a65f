-- What each change of a model did to its table, the latest first.
SELECT * FROM meta.model_changes ORDER BY change_id DESC
