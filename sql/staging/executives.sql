-- Loads executives of a company, from three routes. entity_id is the company's id.
-- - GET /v1/finder/company/executives: one page of the company's executives (`list`).
-- - POST /v1/finder/executives, if the first route is refused: one page of a search for the company's executives
--   (`data`), with names only.
-- - GET /v1/finder/executive/details: one executive that this search listed.
CREATE OR REPLACE TEMP TABLE executive_bodies AS
SELECT
  row_id, run, observed_at, body_hash, doc, is_page, json_id(to_json(entity_id)) AS company_id,
  CASE
    WHEN starts_with(request_key, 'POST /v1/finder/executives ') THEN 'data'
    WHEN starts_with(request_key, 'GET /v1/finder/executive/details ') THEN 'details'
    ELSE 'list'
  END AS form
FROM batch
WHERE doc IS NOT NULL;

INSERT INTO batch_rejects
SELECT row_id, 'no_' || form, '$', CAST(doc AS VARCHAR)
FROM executive_bodies
WHERE form <> 'details' AND NOT json_is_list(json_extract(doc, '$.' || form));

INSERT INTO batch_rejects
SELECT row_id, 'bad_entity_id', '$', CAST(doc AS VARCHAR)
FROM executive_bodies
WHERE company_id IS NULL AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');

INSERT INTO ledger.people_listings
SELECT stream, run, json_id(to_json(entity_id)), observed_at, NULL, NOT is_page
FROM batch
WHERE json_id(to_json(entity_id)) IS NOT NULL
  AND (status = 404 OR (doc IS NOT NULL AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')));

CREATE OR REPLACE TEMP TABLE listed_people AS
WITH items AS (
  SELECT
    row_id, run, observed_at, body_hash, company_id, form,
    unnest(CASE form WHEN 'details' THEN [doc] ELSE json_items(json_extract(doc, '$.' || form)) END) AS item,
    generate_subscripts(CASE form WHEN 'details' THEN [doc] ELSE json_items(json_extract(doc, '$.' || form)) END, 1) - 1 AS i
  FROM executive_bodies
  WHERE row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')
)
SELECT
  *,
  CASE form WHEN 'details' THEN '$' ELSE '$.' || form || '[' || i || ']' END AS path,
  json_id(json_extract(item, '$.id')) AS person_id,
  CASE
    WHEN json_type(item) IS DISTINCT FROM 'OBJECT' THEN 'not_an_object'
    WHEN json_repeats(item) THEN 'duplicate_key'
    WHEN json_id(json_extract(item, '$.id')) IS NULL THEN json_id_fault(json_extract(item, '$.id'))
    WHEN form = 'data' AND json_id(json_extract(item, '$.company_id')) <> company_id THEN 'other_company'
  END AS reason,
  json_transform(item, '{
    "title_name":"JSON", "first_name":"JSON", "last_name":"JSON", "patronime_name":"JSON", "gender":"JSON",
    "company_executive_seniority_level":"JSON", "company_executive_function":"JSON", "contact_phone":"JSON",
    "contact_email":"JSON", "nationality":"JSON", "function_original_name":"JSON", "company_name":"JSON"
  }') AS f
FROM items;

INSERT INTO batch_rejects
SELECT row_id, reason, path, CAST(item AS VARCHAR) FROM listed_people WHERE reason IS NOT NULL;

-- Reject each array or object in a field that must have a plain value. The rest of the record is loaded.
INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', item_path || '.' || field, CAST(v AS VARCHAR)
FROM (
  UNPIVOT (SELECT row_id, path AS item_path, f.* FROM listed_people WHERE json_type(item) = 'OBJECT')
  ON COLUMNS(* EXCLUDE (row_id, item_path, company_executive_seniority_level, company_executive_function)) INTO NAME field VALUE v
)
WHERE json_is_nested(v);

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', f.path, CAST(f.v AS VARCHAR)
FROM (
  SELECT row_id, unnest(list_concat(
    list_faults(path || '.company_executive_seniority_level', f.company_executive_seniority_level),
    list_faults(path || '.company_executive_function', f.company_executive_function)
  )) AS f
  FROM listed_people
  WHERE json_type(item) = 'OBJECT'
);

CREATE OR REPLACE TEMP TABLE people_typed AS
WITH renamed AS (
  SELECT
    'executives' AS stream,
    run,
    company_id,
    person_id,
    form,
    json_text(f.company_name) AS company_name,
    json_text(f.title_name) AS title,
    nullif(concat_ws(' ', json_text(f.first_name), json_text(f.last_name)), '') AS full_name,
    json_text(f.first_name) AS first_name,
    json_text(f.last_name) AS last_name,
    json_text(f.patronime_name) AS patronymic,
    json_text(f.gender) AS gender,
    list_sort(json_texts(f.company_executive_seniority_level)) AS seniority,
    list_sort(json_texts(f.company_executive_function)) AS department,
    json_text(f.function_original_name) AS function,
    json_text(f.nationality) AS nationality,
    json_text(f.contact_email) AS email,
    json_text(f.contact_phone) AS phone,
    CAST(NULL AS VARCHAR) AS pronet,
    CAST(NULL AS VARCHAR) AS microblog,
    CAST(NULL AS VARCHAR) AS socialnet,
    -- Keep fields that the reference does not list, as received.
    CAST(nullif(CAST(json_merge_patch(item, '{
      "id":null, "title_name":null, "first_name":null, "last_name":null, "patronime_name":null, "gender":null,
      "company_executive_seniority_level":null, "company_executive_function":null, "contact_phone":null,
      "contact_email":null, "nationality":null, "function_original_name":null, "company_id":null, "company_name":null
    }') AS VARCHAR), '{}') AS JSON) AS extra,
    observed_at,
    body_hash
  FROM listed_people
  WHERE reason IS NULL
)
SELECT
  *,
  sha256(CAST(to_json([
    company_name, title, first_name, last_name, patronymic, gender, array_to_string(seniority, chr(31)),
    array_to_string(department, chr(31)), function, nationality, email, phone
  ]) AS VARCHAR)) AS record_hash
FROM renamed;

INSERT INTO ledger.people_listed BY NAME
SELECT DISTINCT stream, run, company_id, person_id, record_hash, observed_at, form = 'list' AS is_whole
FROM people_typed
WHERE form <> 'details';

INSERT INTO ledger.people_details BY NAME
SELECT DISTINCT stream, run, person_id, record_hash, observed_at FROM people_typed WHERE form = 'details';
