/*
model: core.watch_events
kind: table
version: 1
grain: event
key: [event_id]
description: >-
  Changes of watched companies that the API reported by webhook, in its events list, or both. Two events of one
  company and field in the same second are separate rows if their content differs. An event counts as one about
  people unless its field begins with company, office or address, or is financial or vat_number.
columns:
  event_id: VARCHAR | company/field/second; more events of that second end in /2, /3 and so on, in order of receipt. Webhook and events list give the same id
  company_id: BIGINT | Id of the company
  field: VARCHAR | Watched field that changed, by its current name; an old name that may mean several fields is kept
  status: VARCHAR | Status, as the API states it; NULL if none
  old_value: VARCHAR | Value before the change; NULL if the API states none, and for events about people unless personalData is contacts
  new_value: VARCHAR | Value after the change; NULL if the API states none, and for events about people unless personalData is contacts
  message_text: VARCHAR | The API's message as plain text; NULL for events received only by webhook, and for events about people unless personalData is contacts
  occurred_at: TIMESTAMPTZ | When the change happened, according to the API
  received_via: VARCHAR | How the event was received (poll, webhook or both)
  observed_at: TIMESTAMPTZ | When the event was first received
  extra: JSON | Fields of the event that the API reference does not list, as last received; NULL if there are none, and for events about people unless personalData is contacts
*/
-- The API reports an event in two places: in the list of events (with message and status), and in a webhook delivery
-- (with the values). This query joins the two. Several events of one company and field may happen in the same second.
-- An item of the list and a delivery are then the same event if the item's message mentions the delivery's values. Items
-- and deliveries without such a message are paired in the order of receipt. The order of loading makes no difference.
WITH received AS (
  SELECT
    company_id, watch_field(field) AS field, date_trunc('second', occurred_at) AS second, received_via, status, old_value, new_value,
    html_text(message_html) AS message_text, occurred_at, observed_at, content_hash, copy, extra
  FROM ledger.received_events
),

-- Seconds in which one company and field have several deliveries, or several items of the list.
crowded AS (
  SELECT company_id, field, second,
    count(*) FILTER (received_via = 'poll') AS listed,
    count(*) FILTER (received_via = 'webhook') AS delivered
  FROM received
  GROUP BY ALL
  HAVING listed > 1 OR delivered > 1
),

ranked AS (
  SELECT *, row_number() OVER (PARTITION BY company_id, field, second, received_via ORDER BY observed_at, content_hash, copy) AS place
  FROM received
  JOIN crowded USING (company_id, field, second)
),

-- If there are thousands of events in one second, comparing all pairs would take too long. Then pair events only by
-- their order of receipt.
mentions AS (
  SELECT p.company_id, p.field, p.second, p.place AS polled_place, d.place AS delivered_place, len(p.message_text) AS letters,
    event_mention(p.message_text, d.old_value, d.new_value) AS mentioned
  FROM ranked AS p
  JOIN ranked AS d USING (company_id, field, second)
  WHERE p.received_via = 'poll' AND d.received_via = 'webhook' AND p.listed * p.delivered <= 250000
    AND event_mention(p.message_text, d.old_value, d.new_value) > 0
),

matched AS (
  SELECT company_id, field, second, polled_place, delivered_place
  FROM mentions
  QUALIFY row_number() OVER (PARTITION BY company_id, field, second, delivered_place ORDER BY mentioned DESC, letters, polled_place) = 1
    AND row_number() OVER (PARTITION BY company_id, field, second, polled_place ORDER BY mentioned DESC, delivered_place) = 1
),

-- If an item of the list and a delivery of the same second have the same value of `pair`, they are one event.
paired AS (
  SELECT * EXCLUDE (copy), 'only' AS pair
  FROM received
  ANTI JOIN crowded USING (company_id, field, second)
  UNION ALL
  SELECT r.* EXCLUDE (copy, place, listed, delivered),
    coalesce(
      'matched ' || m.delivered_place,
      'in order ' || row_number() OVER (
        PARTITION BY r.company_id, r.field, r.second, r.received_via, m.delivered_place IS NULL ORDER BY r.place
      )
    )
  FROM ranked AS r
  LEFT JOIN matched AS m
    ON m.company_id = r.company_id AND m.field = r.field AND m.second = r.second
    AND r.place = CASE r.received_via WHEN 'poll' THEN m.polled_place ELSE m.delivered_place END
),

events AS (
  SELECT
    company_id, field, second, pair,
    coalesce(p.status, d.status) AS status,
    coalesce(d.old_value, p.old_value) AS old_value,
    coalesce(d.new_value, p.new_value) AS new_value,
    p.message_text,
    coalesce(p.occurred_at, d.occurred_at) AS occurred_at,
    CASE WHEN p.received_via IS NULL THEN 'webhook' WHEN d.received_via IS NULL THEN 'poll' ELSE 'both' END AS received_via,
    least(p.observed_at, d.observed_at) AS observed_at,
    coalesce(d.content_hash, p.content_hash) AS content_hash,
    to_json(map_concat(CAST(p.extra AS MAP(VARCHAR, JSON)), CAST(d.extra AS MAP(VARCHAR, JSON)))) AS extra
  FROM (SELECT * FROM paired WHERE received_via = 'poll') AS p
  FULL JOIN (SELECT * FROM paired WHERE received_via = 'webhook') AS d USING (company_id, field, second, pair)
),

numbered AS (
  SELECT *, 1 AS number FROM events WHERE pair = 'only'
  UNION ALL
  SELECT *, row_number() OVER (PARTITION BY company_id, field, second ORDER BY observed_at, content_hash, occurred_at)
  FROM events
  WHERE pair <> 'only'
)

SELECT
  company_id || '/' || field || '/' || strftime(second AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ')
    || CASE WHEN number > 1 THEN '/' || number ELSE '' END AS event_id,
  company_id,
  field,
  status,
  CASE WHEN shown THEN old_value END AS old_value,
  CASE WHEN shown THEN new_value END AS new_value,
  CASE WHEN shown THEN message_text END AS message_text,
  occurred_at,
  received_via,
  observed_at,
  CASE WHEN shown THEN extra END AS extra
FROM (SELECT *, (SELECT personal_data FROM settings) OR NOT watch_about_people(field) AS shown FROM numbered)
