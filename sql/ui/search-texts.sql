-- One text per company: a space, then the words of its name, numbers and brands, in lower case without accents.
SELECT c.company_id, coalesce(m.employees, m.employees_max) AS size,
  ' ' || regexp_replace(
    strip_accents(lower(concat_ws(' ', c.name, c.registration_number, c.vat_number, c.company_id, array_to_string(c.brands, ' ')))),
    '[^\p{L}\p{N}]+', ' ', 'g'
  ) AS text
FROM core.companies AS c
LEFT JOIN marts.companies AS m USING (company_id)
