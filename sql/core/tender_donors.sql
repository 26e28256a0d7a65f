/*
model: core.tender_donors
kind: table
version: 1
grain: donor of a tender
key: [slug, position]
description: Donors of each tender.
columns:
  slug: VARCHAR | Id of the tender
  position: INTEGER | Position in the API's list, from 1
  name: VARCHAR | Name of the donor; NULL if payload has none
  payload: JSON | The donor as the API sent it; the reference does not document its shape
*/
SELECT slug, CAST(position AS INTEGER) AS position, coalesce(json_text(json_extract(item, '$.name')), json_text(item)) AS name, item AS payload
FROM (
  SELECT slug, unnest(donors) AS item, generate_subscripts(donors, 1) AS position
  FROM ledger.tender_records
  WHERE source = 'details'
)
