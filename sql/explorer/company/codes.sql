-- Classifications of one company.
SELECT scheme, code_id, value FROM core.company_codes WHERE company_id = $id ORDER BY scheme, code_id, value
