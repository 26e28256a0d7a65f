-- The models of the published file, with their texts.
SELECT * FROM meta.models WHERE state <> 'retired' ORDER BY model, version
