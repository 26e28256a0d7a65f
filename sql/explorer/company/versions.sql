-- Versions of the record of one company, newest first.
SELECT * FROM core.companies_history WHERE company_id = $id ORDER BY valid_from DESC LIMIT 100
