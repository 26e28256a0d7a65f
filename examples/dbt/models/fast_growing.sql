select
  companies.company_id,
  companies.name,
  companies.country_code,
  years.fiscal_year,
  years.turnover_growth
from {{ source('tidemark_marts', 'company_years') }} as years
join {{ source('tidemark_marts', 'companies') }} as companies using (company_id)
where companies.in_market
  and years.fiscal_year = companies.fiscal_year
  and years.turnover_growth > 0.2
