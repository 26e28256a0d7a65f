/*
model: core.watched_companies
kind: table
needs: [ledger.watched_companies]
version: 1
grain: watched company
key: [company_id]
description: >-
  Companies that are watched, according to the latest listing that was read completely. They may be outside all markets. Name,
  country and registration number come from the listing, or else from the latest webhook delivery that states them.
columns:
  company_id: BIGINT | Id of the company
  fields: VARCHAR[] | Watched fields by their current names, sorted; an old name that may mean several fields is kept
  since: DATE | Date that the listing states; NULL if none
  name: VARCHAR | Name of the company; NULL if neither listing nor webhook states one
  country_code: VARCHAR | Country code, ISO 3166-1 alpha-2; NULL if neither states one
  registration_number: VARCHAR | Number in the national company register, as text; NULL if neither states one
*/
WITH listings AS (
  SELECT run, max(observed_at) AS observed_at
  FROM ledger.observations
  WHERE stream = 'watched_companies'
  GROUP BY run
  -- Leave out a listing if one of its pages is unreadable in the last answer for that page.
  HAVING run NOT IN (
    SELECT run FROM (
      SELECT run, entity_id, arg_max(readable, observed_at) AS readable
      FROM ledger.observations
      WHERE stream = 'watched_companies'
      GROUP BY ALL
    )
    WHERE NOT readable
  )
),

listed AS (
  SELECT company_id,
    list_sort(list_distinct(list_transform(arg_max(fields, (observed_at, fields)), lambda f: watch_field(f)))) AS fields,
    arg_max(since, (observed_at, since)) AS since,
    arg_max(name, (observed_at, name)) AS name,
    arg_max(country_code, (observed_at, country_code)) AS country_code,
    arg_max(registration_number, (observed_at, registration_number)) AS registration_number
  FROM ledger.watched_companies
  WHERE run = (SELECT run FROM listings ORDER BY observed_at DESC, run DESC LIMIT 1)
  GROUP BY company_id
),

delivered AS (
  SELECT company_id,
    any_value(value) FILTER (field = 'name') AS name,
    any_value(value) FILTER (field = 'country_code') AS country_code,
    any_value(value) FILTER (field = 'registration_number') AS registration_number
  FROM ledger.delivered_values
  GROUP BY company_id
)

SELECT l.company_id, l.fields, l.since, coalesce(l.name, d.name) AS name, coalesce(l.country_code, d.country_code) AS country_code,
  coalesce(l.registration_number, d.registration_number) AS registration_number
FROM listed AS l
LEFT JOIN delivered AS d USING (company_id)
