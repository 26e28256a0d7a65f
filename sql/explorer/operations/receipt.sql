-- How this build was made.
SELECT run, built_at, config_hash, parts, landed_rows FROM meta.receipt
