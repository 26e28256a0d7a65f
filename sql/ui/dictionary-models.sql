-- The models of the published file, with their texts. A file of an older version has no texts.
SELECT * FROM meta.models WHERE state <> 'retired' ORDER BY model, version
