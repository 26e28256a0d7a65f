/*
model: core.watch_events
kind: table
version: 1
grain: event
key: [event_id]
description: Changes of watched companies that the API told of.
columns:
  event_id: VARCHAR | company/field/second, the same however the event came
  company_id: BIGINT | Id of the company
  field: VARCHAR | Watched field that changed
  status: VARCHAR | Status as the API says it
  old_value: VARCHAR | Value before, where the API states it
  new_value: VARCHAR | Value after, where the API states it
  message_text: VARCHAR | The API's message as plain text
  occurred_at: TIMESTAMPTZ | When it happened
  received_via: VARCHAR | poll, webhook or both
  observed_at: TIMESTAMPTZ | When it was first heard of
*/
-- Of an event that came both ways the list has the status and the message, the delivery the values.
WITH polled AS (
  SELECT * FROM ledger.watch_events WHERE received_via = 'poll'
),

delivered AS (
  SELECT * FROM ledger.watch_events WHERE received_via = 'webhook'
)

SELECT
  event_id,
  coalesce(p.company_id, d.company_id) AS company_id,
  coalesce(p.field, d.field) AS field,
  coalesce(p.status, d.status) AS status,
  coalesce(d.old_value, p.old_value) AS old_value,
  coalesce(d.new_value, p.new_value) AS new_value,
  html_text(p.message_html) AS message_text,
  coalesce(p.occurred_at, d.occurred_at) AS occurred_at,
  CASE WHEN p.event_id IS NULL THEN 'webhook' WHEN d.event_id IS NULL THEN 'poll' ELSE 'both' END AS received_via,
  least(p.observed_at, d.observed_at) AS observed_at
FROM polled AS p
FULL JOIN delivered AS d USING (event_id)
