/*
model: marts.watch_changes
kind: table
needs: [core.watch_events]
version: 1
grain: changed value of a watch event
key: [event_id, item]
nullable: [item]
description: >-
  The watch events of core.watch_events with their old and new values taken apart. An event whose value is an object, such as restated
  figures, has one row for each name in the object. Values come from the webhook delivery. If there was none, they come from the message,
  whose wording the API reference does not show; then is_from_message is true, and values that the message does not state clearly are
  NULL.
columns:
  event_id: VARCHAR | Id of the event in core.watch_events
  item: VARCHAR | Name of the value within the event, such as 2023 Turnover; NULL if the event has one plain value
  company_id: BIGINT | Id of the company
  company_name: VARCHAR | Latest known name of the company
  country_code: VARCHAR | Country code, ISO 3166-1 alpha-2
  field: VARCHAR | Watched field that changed
  status: VARCHAR | Status of the event, as the API states it; NULL if none
  occurred_at: TIMESTAMPTZ | When the change happened, according to the API
  fiscal_year: INTEGER | Fiscal year of a financial change, if the event states it; otherwise NULL
  indicator: VARCHAR | Indicator of a financial change, such as Turnover; NULL for other events and for a newly filed report
  old_value: VARCHAR | Value before the change as text; NULL if there is none, or for events about people unless personalData is contacts
  new_value: VARCHAR | Value after the change as text; NULL as for old_value
  old_number: DOUBLE | old_value as a number; money is in currency. NULL if it is no number
  new_number: DOUBLE | new_value as a number; money is in currency. NULL if it is no number
  change: DOUBLE | new_number / old_number - 1 (0.1 is 10 %); NULL if old_number is not above 0
  currency: VARCHAR | Currency of the company's figures of fiscal_year in marts.company_years; NULL if there are none
  is_from_message: BOOLEAN | True if the values come from the text of the message
*/
WITH told AS (
  SELECT *,
    old_value IS NULL AND new_value IS NULL AND message_text IS NOT NULL AS is_from_message,
    regexp_extract_all(message_text, '\{[^{}]*\}') AS objects,
    regexp_extract_all(message_text, '\b(?:19|20)\d\d\b') AS years,
    len(string_split(message_text, ' to ')) = 2 AS is_clear
  FROM core.watch_events
),

stated AS (
  SELECT event_id, company_id, field, status, occurred_at, is_from_message,
    CASE
      WHEN NOT is_from_message THEN old_value
      WHEN len(objects) = 2 THEN objects[1]
      WHEN is_clear THEN nullif(regexp_extract(message_text, ' changed from (.*) to ', 1, 's'), '')
    END AS old_value,
    CASE
      WHEN NOT is_from_message THEN new_value
      WHEN len(objects) IN (1, 2) THEN objects[-1]
      -- A newly filed report: the message names its year.
      WHEN field = 'company.financial' AND len(years) = 1 THEN years[1]
      WHEN is_clear THEN nullif(regexp_extract(message_text, ' changed (?:from .* )?to (.*)$', 1, 's'), '')
    END AS new_value
  FROM told
),

parsed AS (
  SELECT *,
    CASE WHEN json_type(TRY_CAST(old_value AS JSON)) = 'OBJECT' THEN CAST(old_value AS JSON) ELSE JSON '{}' END AS old_object,
    CASE WHEN json_type(TRY_CAST(new_value AS JSON)) = 'OBJECT' THEN CAST(new_value AS JSON) ELSE JSON '{}' END AS new_object,
    'OBJECT' IN (json_type(TRY_CAST(old_value AS JSON)), json_type(TRY_CAST(new_value AS JSON))) AS is_object
  FROM stated
),

named AS (
  SELECT *, unnest(list_distinct(list_concat(json_keys(old_object), json_keys(new_object)))) AS key
  FROM parsed
  WHERE is_object
),

-- A value of an object may be an object, too, as in {"2023": {"Turnover": 5}}.
members AS (
  SELECT * EXCLUDE (old_value, new_value), json_member(old_object, key) AS old_member, json_member(new_object, key) AS new_member
  FROM named
),

nested AS (
  SELECT *,
    unnest(list_distinct(list_concat(
      CASE WHEN json_type(old_member) = 'OBJECT' THEN json_keys(old_member) END,
      CASE WHEN json_type(new_member) = 'OBJECT' THEN json_keys(new_member) END
    ))) AS inner_key
  FROM members
  WHERE json_type(old_member) = 'OBJECT' OR json_type(new_member) = 'OBJECT'
),

changes AS (
  SELECT event_id, CAST(NULL AS VARCHAR) AS item, company_id, field, status, occurred_at, is_from_message, old_value, new_value
  FROM parsed
  WHERE NOT coalesce(is_object, false)
  UNION ALL
  SELECT event_id, key, company_id, field, status, occurred_at, is_from_message, old_member ->> '$', new_member ->> '$'
  FROM members
  WHERE json_type(old_member) IS DISTINCT FROM 'OBJECT' AND json_type(new_member) IS DISTINCT FROM 'OBJECT'
  UNION ALL
  SELECT event_id, key || ' ' || inner_key, company_id, field, status, occurred_at, is_from_message,
    CASE WHEN json_type(old_member) = 'OBJECT' THEN json_member(old_member, inner_key) ->> '$' END,
    CASE WHEN json_type(new_member) = 'OBJECT' THEN json_member(new_member, inner_key) ->> '$' END
  FROM nested
),

typed AS (
  SELECT *,
    TRY_CAST(old_value AS DOUBLE) AS old_number,
    TRY_CAST(new_value AS DOUBLE) AS new_number,
    CASE WHEN field = 'company.financial' THEN TRY_CAST(coalesce(
      nullif(regexp_extract(item, '^((?:19|20)\d\d)[ ._:/-]', 1), ''),
      nullif(regexp_extract(item, '[ ._:/-]((?:19|20)\d\d)$', 1), ''),
      -- A newly filed report: the value is the year.
      CASE WHEN item IS NULL THEN nullif(regexp_extract(new_value, '^((?:19|20)\d\d)$', 1), '') END
    ) AS INTEGER) END AS fiscal_year
  FROM changes
)

SELECT t.event_id, t.item, t.company_id, c.name AS company_name, c.country_code, t.field, t.status, t.occurred_at, t.fiscal_year,
  CASE
    WHEN t.field = 'company.financial'
    THEN nullif(trim(regexp_replace(t.item, '^(19|20)\d\d[ ._:/-]+|[ ._:/-]+(19|20)\d\d$', ''), ' '), '')
  END AS indicator,
  t.old_value, t.new_value,
  CASE WHEN t.item IS NULL AND t.fiscal_year IS NOT NULL THEN NULL ELSE t.old_number END AS old_number,
  CASE WHEN t.item IS NULL AND t.fiscal_year IS NOT NULL THEN NULL ELSE t.new_number END AS new_number,
  CASE WHEN t.old_number > 0 AND t.item IS NOT NULL THEN t.new_number / t.old_number - 1
    WHEN t.old_number > 0 AND t.fiscal_year IS NULL THEN t.new_number / t.old_number - 1 END AS change,
  y.currency, t.is_from_message
FROM typed AS t
LEFT JOIN core.companies AS c USING (company_id)
LEFT JOIN marts.company_years AS y ON y.company_id = t.company_id AND y.fiscal_year = t.fiscal_year
