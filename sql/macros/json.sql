-- Tolerant readers of one JSON value (arguments are of type JSON; NULL in, NULL out).

-- Text of a string, number or boolean, without white space around it; NULL for null, empty text, arrays and objects.
CREATE OR REPLACE TEMP MACRO json_text(j) AS
  CASE WHEN json_type(j) NOT IN ('OBJECT', 'ARRAY', 'NULL') THEN nullif(trim(j ->> '$', E' \t\n\r'), '') END;

-- An id, whether it came as a number or as text.
CREATE OR REPLACE TEMP MACRO json_id(j) AS
  CASE WHEN regexp_full_match(json_text(j), '-?[0-9]{1,18}') THEN CAST(json_text(j) AS BIGINT) END;

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

-- The calendar day a text begins with (`2026-11-20`, `2026-11-20 08:00:00`, `2026-11-20T08:00:00Z`).
CREATE OR REPLACE TEMP MACRO text_date(t) AS
  CASE WHEN regexp_matches(t, '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$') THEN TRY_CAST(left(t, 10) AS DATE) END;

-- Path of a key, whatever it holds.
CREATE OR REPLACE TEMP MACRO json_path(key) AS '$."' || replace(key, '"', '\"') || '"';
