-- One row per company: what a hit of the search shows, and a text to search in. The text is a space, then the words of the name,
-- numbers and brands, in lower case without accents. More than one space between words does no harm.
WITH named AS (
  SELECT c.company_id, c.name, c.country_code, c.registration_number, c.vat_number, c.address_city AS city, m.status, m.in_market,
    m.left_on, m.industry, m.employees, coalesce(m.employees, m.employees_max) AS size,
    lower(concat_ws(' ', c.name, c.registration_number, c.vat_number, c.company_id, array_to_string(c.brands, ' '))) AS given
  FROM core.companies AS c
  LEFT JOIN marts.companies AS m USING (company_id)
)

-- Most texts have only letters and digits of ASCII. The other texts need slow functions.
SELECT * EXCLUDE (given),
  ' ' || CASE
    WHEN regexp_full_match(given, '[a-z0-9 ]*') THEN given
    ELSE regexp_replace(strip_accents(given), '[^\p{L}\p{N}]+', ' ', 'g')
  END AS text
FROM named
