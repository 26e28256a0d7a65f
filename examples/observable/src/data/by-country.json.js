import { printRows } from '../query.js';

await printRows(`
  SELECT country_code, count(*)::INTEGER AS companies
  FROM marts.companies
  WHERE in_market
  GROUP BY country_code
`);
