-- Macros that say what may name a person. The rules are those of schemas/streams/people.ts and src/privacy/.

-- True for a question of a list that states a person or a personal e-mail address. The domain of an address names nobody.
-- False for a text that is no JSON: DuckDB may evaluate a condition for rows that another condition excludes.
CREATE OR REPLACE TEMP MACRO question_names_person(question) AS
  coalesce(json_extract_string(TRY_CAST(question AS JSON), '$.person') IS NOT NULL
    OR regexp_matches(json_extract_string(TRY_CAST(question AS JSON), '$.email'), '[^@]@'), false);

-- True for a wrong part of an answer that may name a person. Fields about a job name nobody (JOB_FIELDS in
-- src/privacy/personal-data.ts).
CREATE OR REPLACE TEMP MACRO part_names_person(stream, path) AS
  CASE
    WHEN stream IN ('payee_checks', 'payee_reports') THEN path IN ('$', '$.id')
    WHEN stream = 'tender_details' THEN path = '$' OR starts_with(path, '$.contacts')
    WHEN stream IN ('executives', 'employees', 'employee_details')
    THEN NOT regexp_full_match(path, '.*\.(id|company_id|company_name|company_executive_seniority_level|company_executive_function|seniority_level|department|function_original_name|nationality|pages|total_pages|total_employees)(\[[0-9]+\])?')
    ELSE stream IN ('enrichments', 'matches', 'ownership', 'ownership_jobs', 'watch_events')
  END;
