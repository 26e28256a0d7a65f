-- Loads answers of GET /v1/finder/tenders/details: one tender.
CREATE OR REPLACE TEMP TABLE detail_raw AS
SELECT
  row_id, entity_id, observed_at, body_hash, doc,
  json_transform(doc, '{
    "slug":"JSON", "title":"JSON", "status":"JSON", "type":"JSON", "announced_date":"JSON", "deadline_date":"JSON",
    "countries":"JSON", "industries":"JSON", "description":"JSON", "logo":"JSON", "donors":"JSON", "attachments":"JSON",
    "contacts":"JSON"
  }') AS f
FROM batch
WHERE doc IS NOT NULL;

INSERT INTO batch_rejects
SELECT
  row_id,
  CASE WHEN json_type(doc) <> 'OBJECT' THEN 'not_an_object' WHEN json_text(f.slug) IS NULL THEN 'no_slug' ELSE 'other_slug' END,
  '$',
  CAST(doc AS VARCHAR)
FROM detail_raw
WHERE json_type(doc) <> 'OBJECT' OR json_text(f.slug) IS DISTINCT FROM entity_id;

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR)
FROM (
  UNPIVOT (SELECT row_id, f.* FROM detail_raw)
  ON title, status, type, announced_date, deadline_date, description, logo INTO NAME path VALUE v
)
WHERE json_is_nested(v);

CREATE OR REPLACE TEMP TABLE detail_dates AS
SELECT row_id, path, v, json_text(v) AS text
FROM (UNPIVOT (SELECT row_id, f.* FROM detail_raw) ON announced_date, deadline_date INTO NAME path VALUE v);

INSERT INTO batch_rejects
SELECT row_id, 'not_a_date', '$.' || path, CAST(v AS VARCHAR) FROM detail_dates WHERE text IS NOT NULL AND text_date(text) IS NULL
UNION ALL
SELECT row_id, 'not_a_time', '$.' || path, CAST(v AS VARCHAR) FROM detail_dates WHERE text_has_bad_time(text);

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR)
FROM (
  SELECT row_id, unnest([
    {'path': 'donors', 'v': f.donors, 'wants': 'list'}, {'path': 'attachments', 'v': f.attachments, 'wants': 'list'},
    {'path': 'contacts', 'v': f.contacts, 'wants': 'map'}
  ], recursive := true)
  FROM detail_raw
)
WHERE v IS NOT NULL
  AND NOT CASE wants WHEN 'list' THEN json_is_list(v) ELSE json_type(v) = 'OBJECT' OR json_is_blank(v) END;

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', f.path, CAST(f.v AS VARCHAR)
FROM (
  SELECT row_id, unnest(list_concat(
    list_faults('$.countries', f.countries), list_faults('$.industries', f.industries), list_faults('$.attachments', f.attachments)
  )) AS f
  FROM detail_raw
);

-- Contacts of a kind are a list of objects.
INSERT INTO batch_rejects
WITH kinds AS (
  SELECT row_id, '$.contacts.' || kind AS path, json_extract(contacts, '$.' || kind) AS v
  FROM (SELECT row_id, f.contacts AS contacts, unnest(['mobile', 'name', 'email']) AS kind FROM detail_raw)
),
items AS (
  SELECT row_id, path || '[' || (generate_subscripts(json_items(v), 1) - 1) || ']' AS path, unnest(json_items(v)) AS v FROM kinds
)
SELECT row_id, 'wrong_type', path, CAST(v AS VARCHAR) FROM kinds WHERE v IS NOT NULL AND NOT json_is_list(v)
UNION ALL
SELECT row_id, 'wrong_type', path, CAST(v AS VARCHAR) FROM items WHERE json_type(v) <> 'OBJECT' AND (json_text(v) IS NOT NULL OR json_is_nested(v));

CREATE OR REPLACE TEMP TABLE detail_typed AS
WITH contacts AS (
  SELECT row_id, list({'kind': kind, 'type': json_text(json_extract(item, '$.type')), 'name': json_text(json_extract(item, '$.name')),
    'contact_id': json_id(json_extract(item, '$.id'))} ORDER BY place, i) AS contacts,
    list(CASE WHEN json_type(item) = 'OBJECT'
      THEN CAST(nullif(CAST(json_merge_patch(item, '{"type":null, "name":null, "id":null}') AS VARCHAR), '{}') AS JSON)
    END ORDER BY place, i) AS contact_extras
  FROM (
    SELECT
      row_id, kind, place,
      unnest(json_items(json_extract(contacts, '$.' || kind))) AS item,
      generate_subscripts(json_items(json_extract(contacts, '$.' || kind)), 1) AS i
    FROM (
      SELECT row_id, f.contacts AS contacts, unnest(['mobile', 'name', 'email']) AS kind, unnest([1, 2, 3]) AS place
      FROM detail_raw
    )
  )
  GROUP BY row_id
),
said AS (
  SELECT
    row_id,
    entity_id AS slug,
    observed_at,
    body_hash,
    doc,
    json_text(f.title) AS title,
    json_text(f.status) AS status,
    json_text(f.type) AS type,
    json_text(f.announced_date) AS announced,
    json_text(f.deadline_date) AS deadline,
    json_texts(f.countries) AS countries,
    json_texts(f.industries) AS industries,
    json_text(f.description) AS description_html,
    json_text(f.logo) AS logo,
    json_items(f.donors) AS donors,
    json_texts(f.attachments) AS attachments
  FROM detail_raw
  WHERE row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')
)
SELECT
  row_id,
  slug,
  'details' AS source,
  observed_at,
  body_hash,
  title,
  status,
  type,
  text_date(announced) AS announced_date,
  text_date(deadline) AS deadline_date,
  text_wall_clock(announced) AS announced_at,
  text_wall_clock(deadline) AS deadline_at,
  countries,
  industries,
  description_html,
  logo,
  donors,
  attachments,
  contacts,
  contact_extras,
  -- Keep fields that the reference does not list, as received.
  nullif(CAST(json_merge_patch(doc, '{
    "slug":null, "title":null, "status":null, "type":null, "announced_date":null, "deadline_date":null, "countries":null,
    "industries":null, "description":null, "logo":null, "donors":null, "attachments":null, "contacts":null
  }') AS VARCHAR), '{}') AS extra,
  -- The hash does not depend on the order of arrays.
  sha256(CAST(to_json([title, status, type, announced, deadline, array_to_string(list_sort(countries), chr(31)),
    array_to_string(list_sort(industries), chr(31)), description_html, logo, CAST(donors AS VARCHAR),
    array_to_string(list_sort(attachments), chr(31))]) AS VARCHAR)) AS record_hash
FROM said
LEFT JOIN contacts USING (row_id);

MERGE INTO ledger.tender_records AS old
USING (
  SELECT * EXCLUDE (row_id, record_hash)
  FROM detail_typed
  QUALIFY row_number() OVER (PARTITION BY slug ORDER BY observed_at DESC, body_hash DESC) = 1
) AS new ON old.slug = new.slug AND old.source = new.source
WHEN MATCHED AND (new.observed_at, new.body_hash) > (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

INSERT INTO batch_records SELECT row_id, NULL, record_hash, NULL FROM detail_typed;

MERGE INTO ledger.tender_versions AS old
USING (
  SELECT * EXCLUDE (row_id, contacts, contact_extras, extra)
  FROM detail_typed
  QUALIFY row_number() OVER (PARTITION BY slug, record_hash ORDER BY observed_at, body_hash) = 1
) AS new ON old.slug = new.slug AND old.source = new.source AND old.record_hash = new.record_hash
WHEN MATCHED AND (new.observed_at, new.body_hash) < (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

INSERT INTO ledger.dirty_tenders SELECT DISTINCT slug FROM detail_typed;
