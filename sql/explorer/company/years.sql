-- Figures of each fiscal year of one company, oldest first.
SELECT * FROM marts.company_years WHERE company_id = $id ORDER BY fiscal_year
