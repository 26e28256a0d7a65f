-- Macros of the first pass of staging, which reads only values in their usual type and spelling. If a macro `…_is_plain`
-- returns true, the value has the same meaning for the macros of all spellings (json.sql and lenient.sql). An argument
-- `j` is a JSON value without spaces between its tokens, and `t` is text.

-- True if all texts of a list need no trimming and begin with no bracket, so none is the text of an array or object. A
-- number with an exponent is not plain, because DuckDB writes it in another way than JSON does.
CREATE OR REPLACE TEMP MACRO texts_are_plain(l) AS
  NOT coalesce(regexp_matches(array_to_string(l, chr(1)), '(?:^|\x01)[\[{ \t\n\r]|[ \t\n\r](?:\x01|$)|[0-9]e[+-]?[0-9]'), false);

-- True for null, and for an array of texts that are not empty, need no trimming and contain no escapes.
CREATE OR REPLACE TEMP MACRO list_is_plain(j) AS
  coalesce(regexp_full_match(CAST(j AS VARCHAR), '\[(?:"[^"\\\s](?:[^"\\]*[^"\\\s])?",?)*\]'), true);

-- Returns the texts of such an array.
CREATE OR REPLACE TEMP MACRO plain_list(j) AS json_transform(j, '["VARCHAR"]');

-- True for a text that needs no trimming, contains no escapes and begins with no bracket.
CREATE OR REPLACE TEMP MACRO json_text_is_plain(j) AS
  regexp_full_match(CAST(j AS VARCHAR), '""|"[^"\\\s\[](?:[^"\\]*[^"\\\s])?"');

-- True for null, and for an array of classifications that have an id, and plain texts or null in `type` and `value`.
CREATE OR REPLACE TEMP MACRO codes_are_plain(j) AS
  coalesce(regexp_full_match(CAST(j AS VARCHAR),
    '\[(?:\{(?:"(?:type|value)":(?:null|"[^"\\\s](?:[^"\\]*[^"\\\s])?"),)*"id":(?:"-?[0-9]{1,18}"|-?[0-9]{1,18})(?:,"(?:type|value)":(?:null|"[^"\\\s](?:[^"\\]*[^"\\\s])?"))*\},?)*\]'
  ), true);

-- Returns the classifications of such an array.
CREATE OR REPLACE TEMP MACRO plain_codes(j, default_scheme) AS
  list_transform(
    json_transform(coalesce(j, JSON '[]'), '[{"id":"VARCHAR","type":"VARCHAR","value":"VARCHAR"}]'),
    lambda c: {'scheme': coalesce(c.type, default_scheme), 'code_id': TRY_CAST(c.id AS BIGINT), 'value': c.value});

-- True for no date, and for a date in ISO 8601 that exists, perhaps with a time.
CREATE OR REPLACE TEMP MACRO date_is_plain(t) AS
  coalesce(t = '' OR (
    regexp_full_match(t, '[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?')
    AND NOT starts_with(t, '0000')
    AND TRY_CAST(left(t, 10) AS DATE) IS NOT NULL
  ), true);

-- True for an array of companies that have an id and a name, in this order, and nothing else. No name needs trimming.
CREATE OR REPLACE TEMP MACRO companies_are_plain(j) AS
  coalesce(
    regexp_full_match(CAST(j AS VARCHAR), '\[(?:\{"id":(?:"-?[0-9]{1,18}"|-?[0-9]{1,18}),"name":(?:null|"(?:[^"\\]|\\.)*")\},?)*\]')
    AND NOT regexp_matches(CAST(j AS VARCHAR), '"name":"(?: |\\[tnr])|(?: |\\[tnr])"\}'),
    false);
