/*
model: core.tender_attachments
kind: table
version: 1
grain: attachment of a tender
key: [slug, position]
description: Attachments of each tender.
columns:
  slug: VARCHAR | Id of the tender
  position: INTEGER | Position in the API's list, from 1
  url: VARCHAR | URL of the attachment
*/
SELECT slug, CAST(position AS INTEGER) AS position, item AS url
FROM (
  SELECT slug, unnest(attachments) AS item, generate_subscripts(attachments, 1) AS position
  FROM ledger.tender_records
  WHERE source = 'details'
)
