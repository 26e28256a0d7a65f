-- Watch events as they were received: one row for each way (poll, webhook), content and copy. copy: 1, or more where one
-- listing has the same item more than once. field: as the API named it; content_hash: see staging/watch_events.sql.
CREATE TABLE ledger.received_events (
  company_id BIGINT NOT NULL,
  field VARCHAR NOT NULL,
  status VARCHAR,
  old_value VARCHAR,
  new_value VARCHAR,
  message_html VARCHAR,
  occurred_at TIMESTAMPTZ NOT NULL,
  received_via VARCHAR NOT NULL,
  content_hash VARCHAR NOT NULL,
  copy INTEGER NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- What was loaded before had one event for a company, field and second. It stays until its parts are read again (000021).
INSERT INTO ledger.received_events
SELECT
  company_id, field, status, old_value, new_value, message_html, occurred_at, received_via,
  md5(CAST(CASE received_via
    WHEN 'poll' THEN to_json([CAST(company_id AS VARCHAR), field, strftime(occurred_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S'),
      status, message_html, old_value, new_value])
    ELSE to_json([CAST(company_id AS VARCHAR), field, strftime(occurred_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%f'),
      array_to_string(['$.new_value=' || new_value, '$.old_value=' || old_value, '$.status=' || status], chr(31))])
  END AS VARCHAR)) AS content_hash,
  1 AS copy,
  observed_at, body_hash
FROM ledger.watch_events;

-- Keep the earlier shape as a view, because a rollback may restore older models. The view has one row for each company,
-- field, second and way of receipt.
DROP TABLE ledger.watch_events;
CREATE VIEW ledger.watch_events AS
SELECT
  company_id || '/' || field || '/' || strftime(occurred_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS event_id,
  company_id, field, status, old_value, new_value, message_html, occurred_at, received_via, observed_at, body_hash
FROM ledger.received_events
QUALIFY row_number() OVER (PARTITION BY event_id, received_via ORDER BY observed_at, body_hash, content_hash, copy) = 1;
