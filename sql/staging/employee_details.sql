-- Loads answers of GET /v2/employees/{id}: one employee. entity_id is the employee's id.
CREATE OR REPLACE TEMP TABLE person_raw AS
SELECT
  row_id, run, observed_at, body_hash, doc, json_id(to_json(entity_id)) AS person_id,
  json_transform(doc, '{
    "id":"JSON", "full_name":"JSON", "first_name":"JSON", "last_name":"JSON", "patronime_name":"JSON", "gender":"JSON",
    "seniority_level":"JSON", "department":"JSON", "function_original_name":"JSON", "phone":"JSON", "email":"JSON",
    "nationality":"JSON", "company_name":"JSON", "microblog":"JSON", "pronet":"JSON", "socialnet":"JSON"
  }') AS f
FROM batch
WHERE doc IS NOT NULL;

INSERT INTO batch_rejects
SELECT
  row_id,
  CASE
    WHEN json_type(doc) IS DISTINCT FROM 'OBJECT' THEN 'not_an_object'
    WHEN person_id IS NULL THEN 'bad_entity_id'
    WHEN json_id(f.id) IS NULL THEN json_id_fault(f.id)
    ELSE 'other_id'
  END,
  '$',
  CAST(doc AS VARCHAR)
FROM person_raw
WHERE json_type(doc) IS DISTINCT FROM 'OBJECT' OR person_id IS NULL OR json_id(f.id) IS DISTINCT FROM person_id;

-- Reject each array or object in a field that must have a plain value. The rest of the record is loaded.
INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', '$.' || field, CAST(v AS VARCHAR)
FROM (
  UNPIVOT (SELECT row_id, f.* EXCLUDE (id) FROM person_raw WHERE row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$'))
  ON COLUMNS(* EXCLUDE (row_id, seniority_level, department)) INTO NAME field VALUE v
)
WHERE json_is_nested(v);

INSERT INTO batch_rejects
WITH lists AS (
  SELECT row_id, unnest([{'path': 'seniority_level', 'v': f.seniority_level}, {'path': 'department', 'v': f.department}], recursive := true)
  FROM person_raw
  WHERE row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')
),
items AS (
  SELECT row_id, path, unnest(json_items(v)) AS item, generate_subscripts(json_items(v), 1) - 1 AS i FROM lists
)
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR) FROM lists WHERE json_type(v) = 'OBJECT' AND NOT json_is_list(v)
UNION ALL
SELECT row_id, 'wrong_type', '$.' || path || '[' || i || ']', CAST(item AS VARCHAR)
FROM items
-- The reference does not state the type of the items of `department`. Accept an object if it has a name.
WHERE json_is_nested(item) AND NOT (path = 'department' AND json_text(json_extract(item, '$.name')) IS NOT NULL);

CREATE OR REPLACE TEMP TABLE people_typed AS
WITH renamed AS (
  SELECT
    row_id,
    'employees' AS stream,
    run,
    person_id,
    json_text(f.company_name) AS company_name,
    coalesce(json_text(f.full_name), nullif(concat_ws(' ', json_text(f.first_name), json_text(f.last_name)), '')) AS full_name,
    json_text(f.first_name) AS first_name,
    json_text(f.last_name) AS last_name,
    json_text(f.patronime_name) AS patronymic,
    json_text(f.gender) AS gender,
    list_sort(json_texts(f.seniority_level)) AS seniority,
    CASE
      WHEN json_is_nested(f.department)
      THEN list_sort(list_filter(
        list_transform(
          json_items(f.department),
          lambda x: coalesce(json_text(x), CASE WHEN json_type(x) = 'OBJECT' THEN json_text(json_extract(x, '$.name')) END)
        ),
        lambda t: t IS NOT NULL
      ))
      ELSE json_texts(f.department)
    END AS department,
    json_text(f.function_original_name) AS function,
    json_text(f.nationality) AS nationality,
    json_text(f.email) AS email,
    json_text(f.phone) AS phone,
    json_text(f.pronet) AS pronet,
    json_text(f.microblog) AS microblog,
    json_text(f.socialnet) AS socialnet,
    -- Keep fields that the reference does not list, as received.
    CAST(nullif(CAST(json_merge_patch(doc, '{
      "id":null, "full_name":null, "first_name":null, "last_name":null, "patronime_name":null, "gender":null,
      "seniority_level":null, "department":null, "function_original_name":null, "phone":null, "email":null,
      "nationality":null, "company_id":null, "company_name":null, "microblog":null, "pronet":null, "socialnet":null
    }') AS VARCHAR), '{}') AS JSON) AS extra,
    observed_at,
    body_hash
  FROM person_raw
  WHERE row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')
)
SELECT
  *,
  sha256(CAST(to_json([
    company_name, full_name, first_name, last_name, patronymic, gender, array_to_string(seniority, chr(31)),
    array_to_string(department, chr(31)), function, nationality, email, phone, pronet, microblog, socialnet
  ]) AS VARCHAR)) AS record_hash
FROM renamed;

INSERT INTO batch_records SELECT row_id, NULL, record_hash, NULL FROM people_typed;

INSERT INTO ledger.people_details BY NAME SELECT stream, run, person_id, record_hash, observed_at FROM people_typed;
