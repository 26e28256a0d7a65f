-- GET /v2/companies/{id}/watch/events: one page of a company's events; entity_id is the company.
INSERT INTO batch_rejects
SELECT
  row_id, CASE WHEN json_id(to_json(entity_id)) IS NULL THEN 'bad_entity_id' ELSE 'no_data' END, '$', CAST(doc AS VARCHAR)
FROM batch
WHERE doc IS NOT NULL
  AND (json_id(to_json(entity_id)) IS NULL OR json_type(json_extract(doc, '$.data')) IS DISTINCT FROM 'ARRAY');

CREATE OR REPLACE TEMP TABLE events AS
WITH items AS (
  SELECT
    row_id, observed_at, json_id(to_json(entity_id)) AS company_id,
    unnest(json_items(json_extract(doc, '$.data'))) AS item,
    generate_subscripts(json_items(json_extract(doc, '$.data')), 1) - 1 AS i
  FROM batch
  WHERE doc IS NOT NULL
)
SELECT
  *,
  json_repeats(item) AS repeats,
  CASE WHEN NOT repeats THEN json_text(json_extract(item, '$.event_type')) END AS field,
  json_text(json_extract(item, '$.status')) AS status,
  json_text(json_extract(item, '$.message')) AS message_html,
  text_instant(json_text(json_extract(item, '$.date_created'))) AS occurred_at,
  CASE WHEN json_is_nested(json_extract(item, '$.old_value')) THEN CAST(json_extract(item, '$.old_value') AS VARCHAR)
    ELSE json_text(json_extract(item, '$.old_value')) END AS old_value,
  CASE WHEN json_is_nested(json_extract(item, '$.new_value')) THEN CAST(json_extract(item, '$.new_value') AS VARCHAR)
    ELSE json_text(json_extract(item, '$.new_value')) END AS new_value
FROM items;

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN repeats THEN 'duplicate_key' WHEN field IS NULL THEN 'no_field' ELSE 'not_an_instant' END, '$.data[' || i || ']', CAST(item AS VARCHAR)
FROM events
WHERE field IS NULL OR occurred_at IS NULL;

-- An event told again (the next poll, an overlapping page) is the same event: company, field and second make it.
MERGE INTO ledger.watch_events AS old
USING (
  SELECT
    company_id || '/' || field || '/' || strftime(occurred_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS event_id,
    company_id, field, status, old_value, new_value, message_html, occurred_at, 'poll' AS received_via, observed_at,
    md5(CAST(item AS VARCHAR)) AS body_hash
  FROM events
  WHERE company_id IS NOT NULL AND field IS NOT NULL AND occurred_at IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY observed_at, body_hash) = 1
) AS new ON old.event_id = new.event_id
WHEN MATCHED AND (new.observed_at, new.body_hash) < (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;
