-- Loads two kinds of rows. A row from GET /v2/companies/{id}/watch/events is one page of a company's events, and
-- entity_id is the company's id. A row whose request_key begins with WEBHOOK is a webhook delivery: one event, with the
-- company in its body.
CREATE OR REPLACE TEMP TABLE event_bodies AS
SELECT
  row_id, run, request_key, observed_at, doc, starts_with(request_key, 'WEBHOOK ') AS is_delivery,
  CASE WHEN is_delivery THEN json_id(json_extract(doc, '$.company_data.id')) ELSE json_id(to_json(entity_id)) END AS company_id,
  CASE
    WHEN is_delivery AND json_type(doc) <> 'OBJECT' THEN 'not_an_object'
    WHEN is_delivery AND json_repeats(json_extract(doc, '$.company_data')) THEN 'duplicate_key'
    WHEN company_id IS NULL THEN 'bad_entity_id'
    WHEN NOT is_delivery AND NOT json_is_list(json_extract(doc, '$.data')) THEN 'no_data'
  END AS reason
FROM batch
WHERE doc IS NOT NULL;

INSERT INTO batch_rejects SELECT row_id, reason, '$', CAST(doc AS VARCHAR) FROM event_bodies WHERE reason IS NOT NULL;

-- Groups pages into answers. If every page of a listing states the same total, and the items of all pages add up to it,
-- the listing did not change while it was read. Then all its pages are one answer. Otherwise an item may have moved to
-- another page and appear twice, so each page is a separate answer.
CREATE OR REPLACE TEMP TABLE event_pages AS
WITH pages AS (
  SELECT
    row_id, run, company_id, doc,
    json_id(json_extract(doc, '$.total_results')) AS total,
    len(json_items(json_extract(doc, '$.data'))) AS items,
    count(*) FILTER (regexp_extract(request_key, '[?&"]page"?[=:]"?([0-9]+)', 1) IN ('', '1'))
      OVER (PARTITION BY run, company_id ORDER BY observed_at, row_id) AS listing
  FROM event_bodies
  WHERE NOT is_delivery AND reason IS NULL
),
judged AS (
  SELECT
    *,
    min(total) OVER of_listing = max(total) OVER of_listing AND count(total) OVER of_listing = count(*) OVER of_listing
      AND sum(items) OVER of_listing = max(total) OVER of_listing AS stood_still
  FROM pages
  WINDOW of_listing AS (PARTITION BY run, company_id, listing)
)
SELECT row_id, doc, CASE WHEN stood_still THEN min(row_id) OVER (PARTITION BY run, company_id, listing) ELSE row_id END AS answer
FROM judged;

CREATE OR REPLACE TEMP TABLE events AS
WITH items AS (
  SELECT
    row_id, answer, 'poll' AS received_via,
    unnest(json_items(json_extract(doc, '$.data'))) AS item,
    generate_subscripts(json_items(json_extract(doc, '$.data')), 1) AS place
  FROM event_pages
  UNION ALL
  SELECT row_id, row_id, 'webhook', doc, NULL FROM event_bodies WHERE is_delivery AND reason IS NULL
),
fields AS (
  SELECT
    i.*,
    b.observed_at,
    b.company_id,
    coalesce('$.data[' || i.place - 1 || ']', '$') AS path,
    json_repeats(i.item) AS repeats,
    CASE WHEN NOT json_repeats(i.item)
      THEN json_text(json_extract(i.item, CASE i.received_via WHEN 'poll' THEN '$.event_type' ELSE '$.field' END)) END AS field,
    json_text(json_extract(i.item, '$.status')) AS status,
    CASE WHEN i.received_via = 'poll' THEN json_text(json_extract(i.item, '$.message')) END AS message_html,
    text_instant(json_text(json_extract(i.item, CASE i.received_via WHEN 'poll' THEN '$.date_created' ELSE '$.company_data.date' END)))
      AS occurred_at,
    CASE WHEN json_is_nested(json_extract(i.item, '$.old_value')) THEN CAST(json_extract(i.item, '$.old_value') AS VARCHAR)
      ELSE json_text(json_extract(i.item, '$.old_value')) END AS old_value,
    CASE WHEN json_is_nested(json_extract(i.item, '$.new_value')) THEN CAST(json_extract(i.item, '$.new_value') AS VARCHAR)
      ELSE json_text(json_extract(i.item, '$.new_value')) END AS new_value,
    -- Keep fields that the reference does not list, as received.
    nullif(CAST(CASE
      WHEN i.received_via = 'poll'
      THEN json_merge_patch(i.item, '{
        "event_type":null, "status":null, "message":null, "date_created":null, "old_value":null, "new_value":null,
        "tidemark_removed":null
      }')
      WHEN json_keys(i.item, '$.company_data') <@ ['id', 'name', 'registration_number', 'country_code', 'date']
      THEN json_merge_patch(i.item, '{
        "company_data":null, "field":null, "status":null, "old_value":null, "new_value":null, "tidemark_removed":null
      }')
      ELSE json_merge_patch(i.item, '{
        "company_data":{"id":null, "name":null, "registration_number":null, "country_code":null, "date":null},
        "field":null, "status":null, "old_value":null, "new_value":null, "tidemark_removed":null
      }')
    END AS VARCHAR), '{}') AS extra,
    md5(CAST(i.item AS VARCHAR)) AS body_hash
  FROM items AS i
  JOIN event_bodies AS b USING (row_id)
),
-- For each delivery: every value of its event, with its path. So a different order of keys or format of numbers makes
-- no new event. Of the company data, only the id belongs to the event. A value over 10,000 characters is compared as
-- text, because its paths could be much longer than the value.
members AS (
  SELECT row_id, key, json_member(item, key) AS value
  FROM (SELECT row_id, item, unnest(json_keys(item)) AS key FROM items WHERE received_via = 'webhook')
  WHERE key NOT IN ('field', 'company_data')
),
stated AS (
  SELECT row_id, '$.' || key || '=' || CASE WHEN json_is_nested(value) THEN CAST(value AS VARCHAR) ELSE json_text(value) END AS text
  FROM members
  WHERE NOT json_is_nested(value) OR len(CAST(value AS VARCHAR)) > 10000
  UNION ALL
  SELECT row_id, '$.' || m.key || substr(leaf.fullkey, 2) || '=' || json_text(leaf.atom)
  FROM (SELECT * FROM members WHERE json_is_nested(value) AND len(CAST(value AS VARCHAR)) <= 10000) AS m, json_tree(m.value) AS leaf
),
delivered AS (
  SELECT row_id, array_to_string(list_sort(list(text)), chr(31)) AS stated
  FROM stated
  WHERE text IS NOT NULL
  GROUP BY row_id
)
SELECT
  f.*,
  -- Events of listings: only whole seconds count, because two listings may round the time of an event differently.
  -- Deliveries: all digits of the time count, because a repeated delivery is identical. Without `personalData: contacts`,
  -- an event about people has a fingerprint instead of its content.
  md5(CAST(CASE f.received_via
    WHEN 'poll' THEN to_json([CAST(f.company_id AS VARCHAR), watch_field(f.field),
      strftime(f.occurred_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S'), f.status,
      coalesce(json_text(json_extract(f.item, '$.tidemark_removed')), f.message_html), f.old_value, f.new_value])
    ELSE to_json([CAST(f.company_id AS VARCHAR), watch_field(f.field),
      strftime(f.occurred_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%f'), coalesce(d.stated, '')])
  END AS VARCHAR)) AS content_hash
FROM fields AS f
LEFT JOIN delivered AS d USING (row_id);

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN repeats THEN 'duplicate_key' WHEN field IS NULL THEN 'no_field' ELSE 'not_an_instant' END, path, CAST(item AS VARCHAR)
FROM events
WHERE field IS NULL OR occurred_at IS NULL;

-- If the same content comes in another answer (next poll, overlapping page, repeated delivery), it is the same event.
-- Equal items within one answer are separate events. Keeps each event as it was first received.
CREATE OR REPLACE TEMP TABLE counted_events AS
SELECT
  company_id, field, status, old_value, new_value, message_html, occurred_at, received_via, content_hash, observed_at, body_hash, extra,
  CASE received_via
    WHEN 'poll' THEN CAST(row_number() OVER (PARTITION BY answer, content_hash ORDER BY observed_at, row_id, place) AS INTEGER)
    ELSE 1
  END AS copy
FROM events
WHERE company_id IS NOT NULL AND field IS NOT NULL AND occurred_at IS NOT NULL;

MERGE INTO ledger.received_events AS old
USING (
  SELECT * EXCLUDE (extra)
  FROM counted_events
  QUALIFY row_number() OVER (PARTITION BY received_via, content_hash, copy ORDER BY observed_at, body_hash) = 1
) AS new ON old.received_via = new.received_via AND old.content_hash = new.content_hash AND old.copy = new.copy
WHEN MATCHED AND (new.observed_at, new.body_hash) < (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

-- A change of a field that the reference does not list makes no new event. Only the latest values of such fields are
-- kept. An answer without such fields changes nothing.
UPDATE ledger.received_events AS old
SET extra = new.extra, extra_at = new.observed_at
FROM (
  SELECT received_via, content_hash, copy, observed_at, extra
  FROM counted_events
  WHERE extra IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY received_via, content_hash, copy ORDER BY observed_at DESC, extra DESC) = 1
) AS new
WHERE old.received_via = new.received_via
  AND old.content_hash = new.content_hash
  AND old.copy = new.copy
  AND (old.extra_at IS NULL OR (new.observed_at, new.extra) > (old.extra_at, CAST(old.extra AS VARCHAR)));

-- Values that deliveries state about their company, except its id. Keeps the latest value of each field. If two values
-- have the same time, keeps the alphabetically later one.
CREATE OR REPLACE TEMP TABLE delivered_values AS
SELECT row_id, company_id, observed_at, field, json_extract(doc, '$.company_data.' || field) AS v
FROM (
  SELECT *, unnest(['name', 'country_code', 'registration_number']) AS field
  FROM event_bodies
  WHERE is_delivery AND reason IS NULL
);

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', '$.company_data.' || field, CAST(v AS VARCHAR) FROM delivered_values WHERE json_is_nested(v);

MERGE INTO ledger.delivered_values AS old
USING (
  SELECT company_id, field, CASE field WHEN 'country_code' THEN upper(json_text(v)) ELSE json_text(v) END AS value, observed_at
  FROM delivered_values
  WHERE json_text(v) IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY company_id, field ORDER BY observed_at DESC, value DESC) = 1
) AS new ON old.company_id = new.company_id AND old.field = new.field
WHEN MATCHED AND (new.observed_at, new.value) > (old.observed_at, old.value) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

-- Mark the companies of these events as changed, because marts.changes contains events.
INSERT INTO ledger.dirty_companies
SELECT company_id, min(observed_at) FROM events WHERE company_id IS NOT NULL GROUP BY company_id;
