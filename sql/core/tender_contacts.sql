/*
model: core.tender_contacts
kind: table
version: 2
grain: contact of a tender
key: [slug, position]
description: Contact points of each tender.
columns:
  slug: VARCHAR | Id of the tender
  position: INTEGER | Position in the API's list, from 1
  kind: VARCHAR | Kind of contact (mobile, name or email)
  type: VARCHAR | Type that the API states; NULL if none
  name: VARCHAR | The phone number, name or e-mail address; NULL unless personalData is contacts
  contact_id: BIGINT | Id that the API states; NULL if none
  extra: JSON | Fields of the contact that the API reference does not list; NULL if there are none, and unless personalData is contacts
*/
SELECT slug, CAST(position AS INTEGER) AS position, item.kind, item.type,
  CASE WHEN (SELECT personal_data FROM settings) THEN item.name END AS name,
  item.contact_id,
  CASE WHEN (SELECT personal_data FROM settings) THEN extra END AS extra
FROM (
  SELECT slug, unnest(contacts) AS item, unnest(contact_extras) AS extra, generate_subscripts(contacts, 1) AS position
  FROM ledger.tender_records
  WHERE source = 'details'
)
