-- Membership, industry and latest figures of one company.
SELECT * FROM marts.companies WHERE company_id = $id
