-- What the search shows of each company.
SELECT c.company_id, c.name, c.country_code, c.registration_number, c.vat_number, c.address_city AS city, m.status,
  m.in_market, m.left_on, m.industry, m.employees
FROM core.companies AS c
LEFT JOIN marts.companies AS m USING (company_id)
