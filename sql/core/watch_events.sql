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
SELECT event_id, company_id, field, status, old_value, new_value, html_text(message_html) AS message_text, occurred_at,
  received_via, observed_at
FROM ledger.watch_events
