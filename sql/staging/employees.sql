-- Loads answers of POST /v2/employees: one page of the search for a company's employees. entity_id is the company's id.
INSERT INTO batch_rejects
SELECT row_id, CASE WHEN json_id(to_json(entity_id)) IS NULL THEN 'bad_entity_id' ELSE 'no_data' END, '$', CAST(doc AS VARCHAR)
FROM batch
WHERE doc IS NOT NULL
  AND (json_id(to_json(entity_id)) IS NULL OR NOT json_is_list(json_extract(doc, '$.data')));

INSERT INTO ledger.people_listings
SELECT
  stream,
  run,
  json_id(to_json(entity_id)),
  observed_at,
  -- A search by seniority or department counts only some of the employees, so ignore its total.
  CASE WHEN NOT regexp_matches(request_key, '"(seniority|department)":') THEN json_id(json_extract(doc, '$.total_employees')) END,
  NOT is_page
FROM batch
WHERE json_id(to_json(entity_id)) IS NOT NULL
  AND (status = 404 OR (doc IS NOT NULL AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')));

CREATE OR REPLACE TEMP TABLE listed_people AS
WITH items AS (
  SELECT
    row_id, run, observed_at, body_hash, json_id(to_json(entity_id)) AS company_id,
    unnest(json_items(json_extract(doc, '$.data'))) AS item,
    generate_subscripts(json_items(json_extract(doc, '$.data')), 1) - 1 AS i
  FROM batch
  WHERE doc IS NOT NULL AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')
)
SELECT
  *,
  json_id(json_extract(item, '$.id')) AS person_id,
  json_repeats(item) AS repeats,
  json_transform(item, '{"name":"JSON", "company_name":"JSON"}') AS f,
  CASE
    WHEN json_type(item) IS DISTINCT FROM 'OBJECT' THEN 'not_an_object'
    WHEN json_repeats(item) THEN 'duplicate_key'
    WHEN json_id(json_extract(item, '$.id')) IS NULL THEN json_id_fault(json_extract(item, '$.id'))
    WHEN json_id(json_extract(item, '$.company_id')) <> company_id THEN 'other_company'
  END AS reason
FROM items;

INSERT INTO batch_rejects
SELECT row_id, reason, '$.data[' || i || ']', CAST(item AS VARCHAR) FROM listed_people WHERE reason IS NOT NULL;

INSERT INTO batch_rejects
WITH fields AS (
  SELECT row_id, i, unnest([{'path': 'name', 'v': f.name}, {'path': 'company_name', 'v': f.company_name}], recursive := true)
  FROM listed_people
  WHERE json_type(item) = 'OBJECT'
)
SELECT row_id, 'wrong_type', '$.data[' || i || '].' || path, CAST(v AS VARCHAR) FROM fields WHERE json_is_nested(v);

CREATE OR REPLACE TEMP TABLE people_typed AS
WITH renamed AS (
  SELECT
    'employees' AS stream,
    run,
    company_id,
    person_id,
    json_text(f.company_name) AS company_name,
    json_text(f.name) AS full_name,
    -- Keep fields that the reference does not list, as received.
    CAST(nullif(CAST(json_merge_patch(item, '{"id":null, "name":null, "company_id":null, "company_name":null}') AS VARCHAR), '{}') AS JSON)
      AS extra,
    observed_at,
    body_hash
  FROM listed_people
  WHERE reason IS NULL
)
SELECT *, sha256(CAST(to_json(['listed', company_name, full_name]) AS VARCHAR)) AS record_hash
FROM renamed;

INSERT INTO ledger.people_listed BY NAME
SELECT DISTINCT stream, run, company_id, person_id, record_hash, observed_at, false AS is_whole FROM people_typed;
