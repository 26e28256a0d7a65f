-- GET /v2/companies/{id}/watch/events: one page of a company's events; entity_id is the company. A webhook delivery
-- (request_key begins with WEBHOOK) is one event by itself and names its company.
CREATE OR REPLACE TEMP TABLE event_bodies AS
SELECT
  row_id, observed_at, doc, starts_with(request_key, 'WEBHOOK ') AS is_delivery,
  CASE WHEN is_delivery THEN json_id(json_extract(doc, '$.company_data.id')) ELSE json_id(to_json(entity_id)) END AS company_id,
  CASE
    WHEN is_delivery AND json_type(doc) <> 'OBJECT' THEN 'not_an_object'
    WHEN company_id IS NULL THEN 'bad_entity_id'
    WHEN NOT is_delivery AND json_type(json_extract(doc, '$.data')) IS DISTINCT FROM 'ARRAY' THEN 'no_data'
  END AS reason
FROM batch
WHERE doc IS NOT NULL;

INSERT INTO batch_rejects SELECT row_id, reason, '$', CAST(doc AS VARCHAR) FROM event_bodies WHERE reason IS NOT NULL;

CREATE OR REPLACE TEMP TABLE events AS
WITH items AS (
  SELECT
    row_id, observed_at, company_id, 'poll' AS received_via,
    unnest(json_items(json_extract(doc, '$.data'))) AS item,
    '$.data[' || generate_subscripts(json_items(json_extract(doc, '$.data')), 1) - 1 || ']' AS path
  FROM event_bodies
  WHERE NOT is_delivery
  UNION ALL
  SELECT row_id, observed_at, company_id, 'webhook', doc, '$' FROM event_bodies WHERE is_delivery AND reason IS NULL
)
SELECT
  *,
  json_repeats(item) AS repeats,
  CASE WHEN NOT repeats THEN json_text(json_extract(item, CASE received_via WHEN 'poll' THEN '$.event_type' ELSE '$.field' END)) END
    AS field,
  json_text(json_extract(item, '$.status')) AS status,
  CASE WHEN received_via = 'poll' THEN json_text(json_extract(item, '$.message')) END AS message_html,
  text_instant(json_text(json_extract(item, CASE received_via WHEN 'poll' THEN '$.date_created' ELSE '$.company_data.date' END)))
    AS occurred_at,
  CASE WHEN json_is_nested(json_extract(item, '$.old_value')) THEN CAST(json_extract(item, '$.old_value') AS VARCHAR)
    ELSE json_text(json_extract(item, '$.old_value')) END AS old_value,
  CASE WHEN json_is_nested(json_extract(item, '$.new_value')) THEN CAST(json_extract(item, '$.new_value') AS VARCHAR)
    ELSE json_text(json_extract(item, '$.new_value')) END AS new_value
FROM items;

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN repeats THEN 'duplicate_key' WHEN field IS NULL THEN 'no_field' ELSE 'not_an_instant' END, path, CAST(item AS VARCHAR)
FROM events
WHERE field IS NULL OR occurred_at IS NULL;

-- An event told again (the next poll, an overlapping page, a delivery tried again) is the same event: company, field and
-- second make it. What the two ways said is kept side by side.
MERGE INTO ledger.watch_events AS old
USING (
  SELECT
    company_id || '/' || field || '/' || strftime(occurred_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS event_id,
    company_id, field, status, old_value, new_value, message_html, occurred_at, received_via, observed_at,
    md5(CAST(item AS VARCHAR)) AS body_hash
  FROM events
  WHERE company_id IS NOT NULL AND field IS NOT NULL AND occurred_at IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY event_id, received_via ORDER BY observed_at, body_hash) = 1
) AS new ON old.event_id = new.event_id AND old.received_via = new.received_via
WHEN MATCHED AND (new.observed_at, new.body_hash) < (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

-- What is told of them is part of marts.changes.
INSERT INTO ledger.dirty_companies
SELECT company_id, min(observed_at) FROM events WHERE company_id IS NOT NULL GROUP BY company_id;
