/** Name of the table that `EVERY_KIND` makes. */
export const TABLE = 'marts.every_kind';

/**
 * A model with every kind of audit, a key that may be NULL, a column with the name of a keyword, and descriptions that
 * dbt would take for templates.
 */
export const EVERY_KIND = `/*
model: ${TABLE}
kind: table
version: 1
grain: company and order
key: [company_id, order]
nullable: [order]
description: "Braces stay: {{ these }}, {% these %} and {# these #}; quotes 'and' \\"these\\", too."
owner: Research
tags: [weekly, test]
columns:
  company_id: BIGINT | Id of the {{ company }}
  order: INTEGER | A column with the name of a keyword; NULL for every third company
  share: DOUBLE | From 0 to 1
  state: VARCHAR | It's new or old
  is_open: BOOLEAN | Always true
  read_at: TIMESTAMPTZ | When the row was made
audits:
  - accepted_values: { column: order, values: [1, 2] }
  - accepted_values: { column: state, values: [new, "it's old"] }
  - accepted_values: { column: is_open, values: [true] }
  - { severity: warn, range: { column: share, min: 0, max: 1 } }
  - relationships: { column: company_id, to: core.companies, field: company_id }
  - { severity: warn, freshness: { column: read_at, within: 36h } }
  - { name: no_negative_id, severity: error, sql: FROM ${TABLE} WHERE company_id < 0 }
*/
SELECT
  company_id,
  CASE company_id % 3 WHEN 0 THEN NULL ELSE company_id % 3 END::INTEGER AS "order",
  CASE WHEN company_id % 2 = 0 THEN 0.5 END::DOUBLE AS share,
  CASE WHEN company_id % 2 = 0 THEN 'new' ELSE 'it''s old' END AS state,
  true AS is_open,
  now() AS read_at
FROM core.companies
`;
