select
  country_code,
  count(*) as companies,
  count(turnover_eur) as with_turnover,
  sum(turnover_eur) as turnover_eur
from {{ source('tidemark_marts', 'companies') }}
where in_market
group by country_code
