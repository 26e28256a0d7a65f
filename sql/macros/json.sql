-- Macros that convert one JSON value to another type. An unusable value gives NULL instead of an error. An argument `j`
-- has type JSON; an argument `t` is text.

-- Returns the trimmed text of a string, number or boolean. NULL for null, empty text, arrays and objects.
CREATE OR REPLACE TEMP MACRO json_text(j) AS
  CASE WHEN json_type(j) NOT IN ('OBJECT', 'ARRAY', 'NULL') THEN nullif(trim(j ->> '$', E' \t\n\r'), '') END;

-- Parses an id that the API sent as a number or as text. NULL if BIGINT cannot hold the id. Reads the numbers 7.0 and
-- 7e0 as 7, if a double holds the integer exactly. Same rules as src/base/company-id.ts.
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

-- True for a field that is missing or null.
CREATE OR REPLACE TEMP MACRO json_is_missing(j) AS coalesce(CAST(j AS VARCHAR) = 'null', true);

-- True for an array or object. Used to check values that must be plain.
CREATE OR REPLACE TEMP MACRO json_is_nested(j) AS
  coalesce(json_type(j) IN ('OBJECT', 'ARRAY'), false);

-- True for a value without content: null, false, an empty text, or arrays and objects of these. Encoders write an empty
-- array or object in any of these shapes. Same rules as schemas/v2/empty-shapes.ts.
CREATE OR REPLACE TEMP MACRO json_is_blank(j) AS
  regexp_full_match(CAST(j AS VARCHAR), '(?:[\[\]{},\s]|null|false|"(?:\s|\\[tnr])*")*');

-- True for a map without content. It may be inside a field `data`.
CREATE OR REPLACE TEMP MACRO json_is_blank_map(j) AS
  regexp_full_match(CAST(j AS VARCHAR), '(?:\s*\{\s*"data"\s*:)?(?:[\[\]{},\s]|null|false|"(?:\s|\\[tnr])*")*');

-- True for an object that stands for a list with gaps (`{"0":…,"2":…}`), as PHP writes it.
CREATE OR REPLACE TEMP MACRO json_has_list_keys(j) AS
  json_type(j) = 'OBJECT' AND regexp_full_match(array_to_string(json_keys(j), ','), '[0-9]+(?:,[0-9]+)*')
    AND list_unique(json_keys(j)) = len(json_keys(j));

-- True for an array with items or without, and for a list with gaps. Used where a record may stand instead of a list.
CREATE OR REPLACE TEMP MACRO json_has_items(j) AS json_type(j) = 'ARRAY' OR json_has_list_keys(j);

-- True for an array, and for each other shape of a list. False for a missing value.
CREATE OR REPLACE TEMP MACRO json_is_list(j) AS
  coalesce(json_is_blank(j) OR json_has_items(j), false);

-- Returns the items of a list; an empty list for any other value.
CREATE OR REPLACE TEMP MACRO json_items(j) AS
  CASE
    WHEN json_type(j) = 'ARRAY' THEN TRY_CAST(j AS JSON[])
    WHEN json_has_list_keys(j) THEN map_values(TRY_CAST(j AS MAP(VARCHAR, JSON)))
    ELSE CAST([] AS JSON[])
  END;

-- Returns the JSON array inside a text (`"[\"a\"]"`); NULL for any other value.
CREATE OR REPLACE TEMP MACRO json_inner_list(j) AS
  CASE
    WHEN json_type(j) = 'VARCHAR' AND starts_with(json_text(j), '[') AND json_type(TRY_CAST(json_text(j) AS JSON)) = 'ARRAY'
    THEN TRY_CAST(json_text(j) AS JSON)
  END;

-- Returns the texts of a list's plain items. The list may be an array inside a text. For a single plain value, returns a
-- list with one text.
CREATE OR REPLACE TEMP MACRO json_texts(j) AS
  list_transform(
    [coalesce(json_inner_list(j), j)],
    lambda l: CASE
      WHEN coalesce(CAST(l AS VARCHAR), 'null') IN ('null', 'false') THEN NULL
      WHEN json_has_items(l) THEN list_filter(list_transform(json_items(l), lambda x: json_text(x)), lambda t: t IS NOT NULL)
      WHEN json_type(l) <> 'OBJECT' THEN list_filter([json_text(l)], lambda t: t IS NOT NULL)
    END)[1];

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

-- Writes raw tabs and line breaks in the strings of a JSON text as escapes.
CREATE OR REPLACE TEMP MACRO json_escaped(t) AS
  replace(replace(replace(
    regexp_replace(t, '("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\n\r]+', '\1 ', 'g'), chr(9), '\t'), chr(10), '\n'), chr(13), '\r');

-- Replaces each bad value of a JSON text, such as NaN or 01, with an array that no API sends: `[["\u0001NaN"]]`. So a
-- bad value is a value of the wrong type wherever it stands. src/base/json/json-fault.ts lists the bad values.
CREATE OR REPLACE TEMP MACRO json_marked(t) AS
  replace(replace(replace(
    regexp_replace(
      t,
      '("[^"\\]*(?:\\.[^"\\]*)*"|(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)[ ,\]}])|([^ "''\\{}\[\],:\x00-\x1f]+)',
      '\1' || chr(1) || '\2' || chr(2), 'g'
    ),
  chr(1) || chr(2), ''), chr(1), '[["\u0001'), chr(2), '"]]');

-- Parses a JSON text that TRY_CAST does not accept. NULL for a plain text, and for a text with other control characters.
CREATE OR REPLACE TEMP MACRO json_mended_read(t) AS
  CASE WHEN regexp_full_match(t, '\s*[\[{"][^\x00-\x08\x0b\x0c\x0e-\x1f]*') THEN TRY_CAST(json_marked(json_escaped(json_mended(t))) AS JSON) END;

-- Parses a body as JSON. NULL if the body is not JSON. NaN and Infinity stay as they are, because DuckDB accepts them;
-- any other bad value is marked (see json_marked).
CREATE OR REPLACE TEMP MACRO json_read(t) AS
  coalesce(TRY_CAST(t AS JSON), json_mended_read(t));

-- As json_read, but marks every bad value.
CREATE OR REPLACE TEMP MACRO json_read_marked(t) AS
  CASE WHEN regexp_matches(t, '[:\[,]\s*[+-]?(?i:nan|inf)') THEN coalesce(json_mended_read(t), json_read(t)) ELSE json_read(t) END;

-- True for a value that contains a marked bad value.
CREATE OR REPLACE TEMP MACRO json_has_marks(j) AS contains(CAST(j AS VARCHAR), '[["\u0001');

-- Returns a value with null instead of each marked bad value.
CREATE OR REPLACE TEMP MACRO json_unmarked(j) AS
  CAST(regexp_replace(CAST(j AS VARCHAR), '\[\["\\u0001[^"]*"\]\]', 'null', 'g') AS JSON);

-- Returns the text that the API sent, without marks.
CREATE OR REPLACE TEMP MACRO json_said(t) AS regexp_replace(t, '\[\["\\u0001([^"]*)"\]\]', '\1', 'g');

-- Returns the reject reason for the text of a bad value; NULL for the text of any other value.
CREATE OR REPLACE TEMP MACRO json_bad_reason(t) AS
  CASE
    WHEN regexp_full_match(json_said(t), '(?i)[+-]?(nan|inf|infinity)') THEN 'not_finite'
    WHEN contains(t, '[["\u0001') THEN 'not_json'
  END;

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

-- Returns the values one step inside a value: of the key `name`, of all keys if it is `.*`, or the items of a list if it
-- is NULL.
CREATE OR REPLACE TEMP MACRO json_step(j, name) AS
  CASE
    WHEN name IS NULL THEN json_items(j)
    WHEN name = '.*' THEN map_values(TRY_CAST(j AS MAP(VARCHAR, JSON)))
    ELSE [json_member(j, name)]
  END;

-- Returns the type of a JSON text, as text in the format of json_structure. Looks only at the first character and ignores
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

-- Returns the route of a request: method and path, with `{id}` in place of ids.
CREATE OR REPLACE TEMP MACRO request_route(request_key) AS
  regexp_replace(regexp_extract(request_key, '^\S+ [^ ?]+'), '/[0-9]+', '/{id}', 'g');

-- False for a text that surely exceeds no bound. Then json_excess need not read it. Splitting is the fastest way to count.
CREATE OR REPLACE TEMP MACRO json_may_exceed(t) AS
  CASE WHEN strlen(t) > 65536 THEN true ELSE len(string_split(t, '{')) + len(string_split(t, '[')) - 2 > getvariable('bounds').depth END;

-- Number of marked bad values in a value.
CREATE OR REPLACE TEMP MACRO json_count_marks(j) AS len(string_split(CAST(j AS VARCHAR), '[["\u0001')) - 1;

-- True for a value that json_tree must not read: DuckDB copies the whole value for each value in it.
CREATE OR REPLACE TEMP MACRO json_is_big_tree(j, leaves) AS strlen(CAST(j AS VARCHAR)) * leaves > getvariable('bounds').tree;
