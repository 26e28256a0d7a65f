-- Tolerant readers of one JSON value (arguments are of type JSON; NULL in, NULL out).

-- Text of a string, number or boolean, without white space around it; NULL for null, empty text, arrays and objects.
CREATE OR REPLACE TEMP MACRO json_text(j) AS
  CASE WHEN json_type(j) NOT IN ('OBJECT', 'ARRAY', 'NULL') THEN nullif(trim(j ->> '$', E' \t\n\r'), '') END;

-- An id, whether it came as a number or as text; NULL for what BIGINT cannot hold. A number with a fraction or an exponent
-- counts where a double holds it exactly (7.0 and 7e0 are 7). As src/core/company-id.ts.
CREATE OR REPLACE TEMP MACRO json_id(j) AS
  CASE
    WHEN regexp_full_match(json_text(j), '-?[0-9]+') THEN TRY_CAST(json_text(j) AS BIGINT)
    WHEN json_type(j) = 'DOUBLE' AND abs(TRY_CAST(json_text(j) AS DOUBLE)) <= 9007199254740991
      AND TRY_CAST(json_text(j) AS DOUBLE) = trunc(TRY_CAST(json_text(j) AS DOUBLE))
    THEN TRY_CAST(TRY_CAST(json_text(j) AS DOUBLE) AS BIGINT)
  END;

-- A list of texts: of an array its plain items, of a plain value a list of one.
CREATE OR REPLACE TEMP MACRO json_texts(j) AS
  CASE
    WHEN coalesce(json_type(j), 'NULL') IN ('NULL', 'OBJECT') THEN NULL
    WHEN json_type(j) = 'ARRAY'
    THEN list_filter(list_transform(TRY_CAST(j AS JSON[]), lambda x: json_text(x)), lambda t: t IS NOT NULL)
    ELSE list_filter([json_text(j)], lambda t: t IS NOT NULL)
  END;

-- The items of an array; an empty list for anything else.
CREATE OR REPLACE TEMP MACRO json_items(j) AS
  CASE WHEN json_type(j) = 'ARRAY' THEN TRY_CAST(j AS JSON[]) ELSE CAST([] AS JSON[]) END;

-- True when a plain value was expected and an array or object came.
CREATE OR REPLACE TEMP MACRO json_is_nested(j) AS
  coalesce(json_type(j) IN ('OBJECT', 'ARRAY'), false);

-- Why an item has no id that BIGINT can hold.
CREATE OR REPLACE TEMP MACRO json_id_fault(j) AS
  CASE WHEN json_text(j) IS NULL AND NOT json_is_nested(j) THEN 'no_id' ELSE 'unusable_id' END;

-- True when an object has a key twice: readers disagree about which one counts, so neither does.
CREATE OR REPLACE TEMP MACRO json_repeats(j) AS
  coalesce(len(list_distinct(json_keys(j))) < len(json_keys(j)), false);

-- A JSON text in which halves of surrogate pairs (`\ud800`), which no text can hold, are U+FFFD. Escaped backslashes and
-- whole pairs are set aside meanwhile, by characters no JSON text has.
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

-- The document of a body; NULL for what is no JSON.
CREATE OR REPLACE TEMP MACRO json_read(t) AS
  coalesce(TRY_CAST(t AS JSON), CASE WHEN contains(lower(t), '\ud') THEN TRY_CAST(json_mended(t) AS JSON) END);

-- The calendar day a text begins with (`2026-11-20`, `2026-11-20 08:00:00`, `2026-11-20T08:00:00Z`). There is no year 0.
CREATE OR REPLACE TEMP MACRO text_date(t) AS
  CASE
    WHEN regexp_matches(t, '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$') AND NOT starts_with(t, '0000')
    THEN TRY_CAST(left(t, 10) AS DATE)
  END;

-- The instant a text states, by date and time; words DuckDB knows (`infinity`, `epoch`) are none.
CREATE OR REPLACE TEMP MACRO text_instant(t) AS
  CASE
    WHEN regexp_matches(t, '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9].*)?$') AND NOT starts_with(t, '0000')
    THEN TRY_CAST(t AS TIMESTAMPTZ)
  END;

-- The wall-clock time a text states, by date and time; a zone after it is left out, since it moves no clock. NULL for a day alone.
CREATE OR REPLACE TEMP MACRO text_wall_clock(t) AS
  CASE
    WHEN text_date(t) IS NOT NULL
    THEN TRY_CAST(
      regexp_extract(t, '^([0-9-]{10}[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?) ?([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)?$', 1) AS TIMESTAMP
    )
  END;

-- True when a text begins with a day, and what follows is no time of day.
CREATE OR REPLACE TEMP MACRO text_has_bad_time(t) AS
  text_date(t) IS NOT NULL AND len(t) > 10 AND text_wall_clock(t) IS NULL;

-- The first of two times that is on a day.
CREATE OR REPLACE TEMP MACRO time_on_day(d, preferred, other) AS
  CASE WHEN CAST(preferred AS DATE) = d THEN preferred WHEN CAST(other AS DATE) = d THEN other END;

-- Path of a key as people read it, whatever it holds.
CREATE OR REPLACE TEMP MACRO json_path(key) AS '$."' || replace(replace(key, '\', '\\'), '"', '\"') || '"';

-- The value of a key, whatever it holds: a path cannot name every key, a pointer (RFC 6901) can.
CREATE OR REPLACE TEMP MACRO json_member(j, key) AS
  json_extract(j, '/' || replace(replace(key, '~', '~0'), '/', '~1'));

-- Type of a JSON text by its first character, as json_structure writes types; what is inside does not count.
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
