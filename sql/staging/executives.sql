-- GET /v1/finder/company/executives: one page of a company's executives. entity_id is the company.
INSERT INTO batch_rejects
SELECT row_id, 'no_list', '$', CAST(doc AS VARCHAR)
FROM batch
WHERE doc IS NOT NULL AND json_type(json_extract(doc, '$.list')) IS DISTINCT FROM 'ARRAY';

INSERT INTO batch_rejects
SELECT row_id, 'bad_entity_id', '$', entity_id
FROM batch
WHERE doc IS NOT NULL
  AND json_id(to_json(entity_id)) IS NULL
  AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');

CREATE OR REPLACE TEMP TABLE listed_people AS
WITH items AS (
  SELECT
    row_id, run, observed_at, body_hash, json_id(to_json(entity_id)) AS company_id,
    unnest(json_items(json_extract(doc, '$.list'))) AS item,
    generate_subscripts(json_items(json_extract(doc, '$.list')), 1) - 1 AS i
  FROM batch
  WHERE doc IS NOT NULL AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')
)
SELECT
  *,
  json_id(json_extract(item, '$.id')) AS person_id,
  json_repeats(item) AS repeats,
  json_transform(item, '{
    "title_name":"JSON", "first_name":"JSON", "last_name":"JSON", "patronime_name":"JSON", "gender":"JSON",
    "company_executive_seniority_level":"JSON", "company_executive_function":"JSON", "contact_phone":"JSON",
    "contact_email":"JSON", "nationality":"JSON", "function_original_name":"JSON", "company_name":"JSON"
  }') AS f
FROM items;

INSERT INTO batch_rejects
SELECT
  row_id,
  CASE
    WHEN json_type(item) IS DISTINCT FROM 'OBJECT' THEN 'not_an_object'
    WHEN repeats THEN 'duplicate_key'
    ELSE json_id_fault(json_extract(item, '$.id'))
  END,
  '$.list[' || i || ']',
  CAST(item AS VARCHAR)
FROM listed_people
WHERE json_type(item) IS DISTINCT FROM 'OBJECT' OR repeats OR person_id IS NULL;

-- Single values: an array or object where a plain value belongs.
INSERT INTO batch_rejects
WITH fields AS (
  SELECT row_id, i, unnest([
    {'path': 'title_name', 'v': f.title_name}, {'path': 'first_name', 'v': f.first_name},
    {'path': 'last_name', 'v': f.last_name}, {'path': 'patronime_name', 'v': f.patronime_name},
    {'path': 'gender', 'v': f.gender}, {'path': 'contact_phone', 'v': f.contact_phone},
    {'path': 'contact_email', 'v': f.contact_email}, {'path': 'nationality', 'v': f.nationality},
    {'path': 'function_original_name', 'v': f.function_original_name}, {'path': 'company_name', 'v': f.company_name}
  ], recursive := true)
  FROM listed_people
  WHERE json_type(item) = 'OBJECT'
)
SELECT row_id, 'wrong_type', '$.list[' || i || '].' || path, CAST(v AS VARCHAR) FROM fields WHERE json_is_nested(v);

CREATE OR REPLACE TEMP TABLE people_typed AS
WITH renamed AS (
  SELECT
    'executives' AS stream,
    run,
    company_id,
    person_id,
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
    -- Fields that the reference does not list, as received.
    CAST(nullif(CAST(json_merge_patch(item, '{
      "id":null, "title_name":null, "first_name":null, "last_name":null, "patronime_name":null, "gender":null,
      "company_executive_seniority_level":null, "company_executive_function":null, "contact_phone":null,
      "contact_email":null, "nationality":null, "function_original_name":null, "company_name":null
    }') AS VARCHAR), '{}') AS JSON) AS extra,
    observed_at,
    body_hash
  FROM listed_people
  WHERE json_type(item) = 'OBJECT' AND NOT repeats AND person_id IS NOT NULL
)
SELECT
  *,
  sha256(CAST(to_json([
    company_name, title, first_name, last_name, patronymic, gender, array_to_string(seniority, chr(31)),
    array_to_string(department, chr(31)), function, nationality, email, phone
  ]) AS VARCHAR)) AS record_hash
FROM renamed;

MERGE INTO ledger.people AS old
USING (
  SELECT * EXCLUDE (run, company_id)
  FROM people_typed
  QUALIFY row_number() OVER (
    PARTITION BY person_id, record_hash ORDER BY observed_at DESC, body_hash DESC, CAST(extra AS VARCHAR) DESC
  ) = 1
) AS new ON old.stream = new.stream AND old.person_id = new.person_id AND old.record_hash = new.record_hash
WHEN MATCHED AND (new.observed_at, new.body_hash) > (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

INSERT INTO ledger.people_listed BY NAME
SELECT DISTINCT stream, run, company_id, person_id, record_hash, observed_at FROM people_typed;
