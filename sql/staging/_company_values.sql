-- Runs after both passes of company records of both versions. Creates `company_values`: the values of `company_fields` under
-- the names of the warehouse. The fields that only one version has are unused for the other.
CREATE OR REPLACE TEMP VIEW company_values AS
WITH sizes AS MATERIALIZED (
  -- Companies have few different sizes, so parse each one once.
  SELECT size, size_bounds(size) AS bounds FROM (SELECT DISTINCT size FROM company_fields WHERE size <> '')
)
SELECT
  row_id,
  company_id,
  observed_at,
  body_hash,
  nullif(name, '') AS name,
  upper(nullif(CASE getvariable('stream') WHEN 'companies_v1' THEN country_short_name ELSE country_code END, '')) AS country_code,
  nullif(country_name, '') AS country_name,
  nullif(registration_number, '') AS registration_number,
  nullif(vat_number, '') AS vat_number,
  nullif(status, '') AS status,
  nullif(company_legal_form, '') AS legal_form,
  nullif(company_website, '') AS website,
  nullif(company_phone, '') AS phone_text,
  phones,
  nullif(company_email, '') AS email_text,
  emails,
  nullif(company_fax, '') AS fax_text,
  faxes,
  nullif(company_fields.brands, '') AS brands_text,
  brand_names AS brands,
  nullif(address_street, '') AS address_street,
  nullif(address_location, '') AS address_location,
  nullif(address_city, '') AS address_city,
  nullif(country_region, '') AS country_region,
  nullif(zip_code, '') AS zip_code,
  nullif(size, '') AS size_text,
  bounds.lo AS employees_min,
  bounds.hi AS employees_max,
  founded_on AS founding_date,
  nullif(pronet, '') AS pronet,
  nullif(microblog, '') AS microblog,
  nullif(socialnet, '') AS socialnet,
  codes,
  extra
FROM company_fields
LEFT JOIN sizes USING (size);
