/*
model: ops.contact_metrics
kind: table
version: 1
grain: day of contact metrics
key: [date]
description: >-
  How many e-mail addresses and phone numbers of people the API counts as used on each day, as last read. The reference
  does not name the time zone of the API's days. So a day is final only when it was read after its end in every time
  zone.
columns:
  date: DATE | Day in the API's own time zone, from 00:00:00 to 23:59:59
  email_count: BIGINT | E-mail addresses used on the day; NULL if the API gave no usable number
  phone_count: BIGINT | Phone numbers used on the day; NULL if the API gave no usable number
  read_at: TIMESTAMPTZ | When the day was last read
  is_final: BOOLEAN | True if the day was read after its end in every time zone (12:00 UTC of the next day)
*/
SELECT
  date,
  email_count,
  phone_count,
  observed_at AS read_at,
  observed_at >= CAST(date AS TIMESTAMP) AT TIME ZONE 'UTC' + INTERVAL 36 HOUR AS is_final
FROM ledger.contact_metrics
QUALIFY row_number() OVER (PARTITION BY date ORDER BY observed_at DESC, body_hash DESC) = 1
