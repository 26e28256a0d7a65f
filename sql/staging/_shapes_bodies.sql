-- Bodies from which ops.drift takes its samples: the bodies received when a finding of `batch_shapes` was first seen. At
-- most 100 bodies for each value of `first_seen`.
CREATE OR REPLACE TEMP TABLE first_bodies AS
SELECT observed_at, body_hash, json_read(body) AS doc
FROM parts
JOIN (
  SELECT row_id, observed_at, body_hash
  FROM batch
  WHERE fault IS NULL AND observed_at IN (SELECT first_seen FROM batch_shapes)
  QUALIFY row_number() OVER (PARTITION BY observed_at ORDER BY body_hash) <= 100
) USING (row_id)
WHERE length(body) < 1000000;

DELETE FROM first_bodies WHERE doc IS NULL;
