/*
model: core.owners
kind: table
version: 1
grain: company and requested threshold
key: [company_id, threshold]
description: >-
  The API's latest answer about the beneficial owners of each company, for the markets whose streams include ownership.
  Beneficial owners are people who own or control a company, directly or through other companies.
columns:
  company_id: BIGINT | Company
  threshold: DOUBLE | Smallest share that the request asked for, in percent
  conclusive: BOOLEAN | Whether the API calls the answer conclusive; NULL if it does not say so clearly
  job_id: VARCHAR | Enrichment job that the answer names; NULL if none
  payload: JSON | The whole answer. Landed without what identifies people, unless personalData was contacts. NULL if it names people and personalData is none when the table is built
  observed_at: TIMESTAMPTZ | When the API last answered
audits:
  - name: conclusive_not_parsed
    severity: warn
    sql: >-
      SELECT company_id, threshold, flag AS example
      FROM (
        SELECT c.company_id, c.threshold, unnest(list_transform(
          json_extract(r.payload, ['$.conclusive', '$.is_conclusive', '$.isConclusive', '$.inconclusive', '$.is_inconclusive', '$.isInconclusive']),
          lambda j: json_text(j))) AS flag
        FROM core.owners AS c
        JOIN ledger.owner_records AS r USING (company_id, threshold, observed_at)
        WHERE c.conclusive IS NULL
      )
      WHERE flag IS NOT NULL
*/
WITH latest AS (
  SELECT company_id, threshold, max(observed_at) AS observed_at
  FROM ledger.owner_answers
  GROUP BY ALL
)

SELECT h.company_id, h.threshold, h.conclusive, h.job_id, h.payload, l.observed_at
FROM core.owners_history AS h
JOIN latest AS l USING (company_id, threshold)
WHERE h.is_current
