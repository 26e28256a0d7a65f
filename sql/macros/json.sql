-- Macros that convert one JSON value to another type. An unusable value gives NULL instead of an error. An argument `j`
-- has type JSON; an argument `t` is text.

-- Returns the trimmed text of a string, number or boolean. NULL for null, empty text, arrays and objects.
CREATE OR REPLACE TEMP MACRO json_text(j) AS
  CASE WHEN json_type(j) NOT IN ('OBJECT', 'ARRAY', 'NULL') THEN nullif(trim(j ->> '$', E' \t\n\r'), '') END;

-- Parses an id that the API sent as a number or as text. NULL if BIGINT cannot hold the id. Reads the numbers 7.0 and
-- 7e0 as 7, if a double holds the integer exactly. Same rules as src/core/company-id.ts.
CREATE OR REPLACE TEMP MACRO json_id(j) AS
  CASE
    WHEN regexp_full_match(json_text(j), '-?[0-9]+') THEN TRY_CAST(json_text(j) AS BIGINT)
    WHEN json_type(j) = 'DOUBLE' AND abs(TRY_CAST(json_text(j) AS DOUBLE)) <= 9007199254740991
      AND TRY_CAST(json_text(j) AS DOUBLE) = trunc(TRY_CAST(json_text(j) AS DOUBLE))
    THEN TRY_CAST(TRY_CAST(json_text(j) AS DOUBLE) AS BIGINT)
  END;

-- Parses an id in a text that Tidemark wrote, such as an entity id. Same result as json_id for a JSON string.
CREATE OR REPLACE TEMP MACRO text_id(t) AS
  CASE WHEN regexp_full_match(trim(t, E' \t\n\r'), '-?[0-9]+') THEN TRY_CAST(trim(t, E' \t\n\r') AS BIGINT) END;

-- Returns the texts of an array's plain items. For a single plain value, returns a list with one text.
CREATE OR REPLACE TEMP MACRO json_texts(j) AS
  CASE
    WHEN coalesce(json_type(j), 'NULL') IN ('NULL', 'OBJECT') THEN NULL
    WHEN json_type(j) = 'ARRAY'
    THEN list_filter(list_transform(TRY_CAST(j AS JSON[]), lambda x: json_text(x)), lambda t: t IS NOT NULL)
    ELSE list_filter([json_text(j)], lambda t: t IS NOT NULL)
  END;

-- Returns the items of an array; an empty list for any other value.
CREATE OR REPLACE TEMP MACRO json_items(j) AS
  CASE WHEN json_type(j) = 'ARRAY' THEN TRY_CAST(j AS JSON[]) ELSE CAST([] AS JSON[]) END;

-- True for an array or object. Used to check values that must be plain.
CREATE OR REPLACE TEMP MACRO json_is_nested(j) AS
  coalesce(json_type(j) IN ('OBJECT', 'ARRAY'), false);

-- Returns the reject reason for a value that is no id, or for an id that BIGINT cannot hold.
CREATE OR REPLACE TEMP MACRO json_id_fault(j) AS
  CASE WHEN json_text(j) IS NULL AND NOT json_is_nested(j) THEN 'no_id' ELSE 'unusable_id' END;

-- True when an object repeats a key. JSON parsers disagree about which of the two values to use, so Tidemark uses
-- neither.
CREATE OR REPLACE TEMP MACRO json_repeats(j) AS
  coalesce(list_unique(json_keys(j)) < len(json_keys(j)), false);

-- Replaces unpaired surrogates (`\ud800`) in a JSON text with U+FFFD, because no text can contain unpaired surrogates.
-- Escaped backslashes and complete pairs must stay. So they are first replaced with control characters that no JSON
-- text contains, and restored at the end.
CREATE OR REPLACE TEMP MACRO json_mended(t) AS
  replace(replace(
    regexp_replace(
      regexp_replace(
        replace(t, '\\', chr(2)),
        '(?i)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})', chr(1) || '\1' || chr(1) || '\2', 'g'
      ),
      '(?i)\\ud[89a-f][0-9a-f]{2}', chr(65533), 'g'
    ),
  chr(1), '\u'), chr(2), '\\');

-- Parses a body as JSON. NULL if the body is not JSON.
CREATE OR REPLACE TEMP MACRO json_read(t) AS
  coalesce(TRY_CAST(t AS JSON), CASE WHEN contains(lower(t), '\ud') THEN TRY_CAST(json_mended(t) AS JSON) END);

-- Returns the date at the start of a text (`2026-11-20`, `2026-11-20 08:00:00`, `2026-11-20T08:00:00Z`). The year 0
-- gives NULL.
CREATE OR REPLACE TEMP MACRO text_date(t) AS
  CASE
    WHEN regexp_matches(t, '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$') AND NOT starts_with(t, '0000')
    THEN TRY_CAST(left(t, 10) AS DATE)
  END;

-- Parses the instant in a text that begins with a date. A date without a time means midnight UTC. The words `infinity`
-- and `epoch` give NULL, although DuckDB accepts them as instants.
CREATE OR REPLACE TEMP MACRO text_instant(t) AS
  CASE
    WHEN regexp_matches(t, '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9].*)?$') AND NOT starts_with(t, '0000')
    THEN TRY_CAST(t AS TIMESTAMPTZ)
  END;

-- Parses the local date and time in a text. Ignores a time zone after the time. A date without a time gives NULL.
CREATE OR REPLACE TEMP MACRO text_wall_clock(t) AS
  CASE
    WHEN text_date(t) IS NOT NULL
    THEN TRY_CAST(
      regexp_extract(t, '^([0-9-]{10}[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?) ?([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)?$', 1) AS TIMESTAMP
    )
  END;

-- True when a text begins with a date but its rest is not a valid time.
CREATE OR REPLACE TEMP MACRO text_has_bad_time(t) AS
  text_date(t) IS NOT NULL AND len(t) > 10 AND text_wall_clock(t) IS NULL;

-- Returns the time `preferred` if it is on the day `d`. Otherwise returns the time `other` if it is on this day, else
-- NULL.
CREATE OR REPLACE TEMP MACRO time_on_day(d, preferred, other) AS
  CASE WHEN CAST(preferred AS DATE) = d THEN preferred WHEN CAST(other AS DATE) = d THEN other END;

-- Returns the JSON path of a key, for people to read. The key is quoted, so it may contain any character.
CREATE OR REPLACE TEMP MACRO json_path(key) AS '$."' || replace(replace(key, '\', '\\'), '"', '\"') || '"';

-- Returns the value of a key in an object. Uses a JSON pointer (RFC 6901), because a JSON path cannot contain every
-- key.
CREATE OR REPLACE TEMP MACRO json_member(j, key) AS
  json_extract(j, '/' || replace(replace(key, '~', '~0'), '/', '~1'));

-- Returns the type of a JSON text, with the same names as json_structure. Looks only at the first character and ignores
-- nested values.
CREATE OR REPLACE TEMP MACRO json_first_type(t) AS
  CASE ltrim(t, E' \t\n\r')[1]
    WHEN '{' THEN '{}'
    WHEN '[' THEN '["NULL"]'
    WHEN '"' THEN '"VARCHAR"'
    WHEN 't' THEN '"BOOLEAN"'
    WHEN 'f' THEN '"BOOLEAN"'
    WHEN 'n' THEN '"NULL"'
    ELSE CASE WHEN t IS NULL THEN '"NULL"' ELSE '"DOUBLE"' END
  END;
