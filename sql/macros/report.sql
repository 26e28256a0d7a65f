-- Macros that read one value of a financial report, for both versions of the API. The argument `v` is the JSON text of
-- the value.

-- Returns the trimmed text of a JSON string, or the text of a boolean (`true`, `false`). NULL for other values. Only a
-- JSON string begins with a quote, and only a quote sorts before `#`. So `v < '#'` finds strings.
CREATE OR REPLACE TEMP MACRO report_text(v) AS
  CASE WHEN v < '#' THEN trim(v ->> '$', E' \t\n\r') WHEN v IN ('true', 'false') THEN v END;

-- Returns the number in `v`. `v` is a JSON number, or a JSON string whose text `t` is a number.
CREATE OR REPLACE TEMP MACRO report_number(v, t) AS
  CASE
    WHEN t IS NULL THEN TRY_CAST(v AS DOUBLE)
    WHEN regexp_full_match(t, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?') THEN TRY_CAST(t AS DOUBLE)
    ELSE text_number(t)
  END;

-- Returns the number in a field of a report. NULL if the field is no number.
CREATE OR REPLACE TEMP MACRO stated_number(j) AS
  report_number(CAST(j AS VARCHAR), report_text(CAST(j AS VARCHAR)));

-- Returns the reject reason for the value `v`; NULL if `v` is correct. `d` is `v` converted to a number. `is_number` is
-- true if the reference says that the value is a number.
CREATE OR REPLACE TEMP MACRO report_fault(v, d, is_number) AS
  CASE
    WHEN json_bad_reason(v) IS NOT NULL THEN json_bad_reason(v)
    WHEN v[1] IN ('{', '[') THEN 'wrong_type'
    WHEN d IS NOT NULL AND NOT isfinite(d) THEN 'not_finite'
    WHEN d IS NULL AND is_number THEN 'not_a_number'
  END;

-- Parses the date in a text, from the year 1800 to 2199: `20231231` or `2023-12-31`.
CREATE OR REPLACE TEMP MACRO report_day(t) AS
  CASE
    WHEN regexp_full_match(t, '(1[89]|2[01])[0-9]{6}') THEN TRY_CAST(t[1:4] || '-' || t[5:6] || '-' || t[7:8] AS DATE)
    WHEN regexp_matches(t, '^(1[89]|2[01])') THEN text_date(t)
  END;

-- True when a map is NULL or may repeat a key. Compares only the hashes of the keys, which is faster. If the result is
-- true, the statements that use this macro compare the keys themselves.
CREATE OR REPLACE TEMP MACRO report_repeats(m) AS
  coalesce(list_unique(list_transform(map_keys(m), lambda k: hash(k))) < cardinality(m), true);

-- Returns the JSON path of an indicator in a v1 report.
CREATE OR REPLACE TEMP MACRO v1_item_path(report_path, indicator) AS
  report_path || '.indicators.' || json_path(indicator)[3:];
