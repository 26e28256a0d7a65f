-- The record of one company.
SELECT * FROM core.companies WHERE company_id = $id
