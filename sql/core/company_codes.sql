/*
model: core.company_codes
kind: table
version: 1
grain: classification of a company
key: [company_id, scheme, code_id, value]
nullable: [value]
description: Industry and activity classifications in each company's current version.
columns:
  company_id: BIGINT | Id of the company
  scheme: VARCHAR | Classification scheme, as the API names it (industry_focus, sic_code_gb and so on)
  code_id: BIGINT | Id of the class within the scheme
  value: VARCHAR | Code or name of the class; NULL if the API states none
*/
SELECT company_id, code.scheme, code.code_id, code.value
FROM (SELECT company_id, unnest(codes) AS code FROM core.companies_history WHERE is_current)
