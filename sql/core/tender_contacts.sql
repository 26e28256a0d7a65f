/*
model: core.tender_contacts
kind: table
version: 2
grain: contact of a tender
key: [slug, position]
description: Contact points of each tender.
columns:
  slug: VARCHAR | Id of the tender
  position: INTEGER | Place in the API's list, from 1
  kind: VARCHAR | mobile, name or email
  type: VARCHAR | Type the API states
  name: VARCHAR | The number, name or address itself; NULL unless personalData is contacts
  contact_id: BIGINT | Id the API states
*/
SELECT slug, CAST(position AS INTEGER) AS position, item.kind, item.type,
  CASE WHEN (SELECT personal_data FROM settings) THEN item.name END AS name,
  item.contact_id
FROM (
  SELECT slug, unnest(contacts) AS item, generate_subscripts(contacts, 1) AS position
  FROM ledger.tender_records
  WHERE source = 'details'
)
