import { printRows } from '../query.js';

await printRows(`
  SELECT market, date::VARCHAR AS date, companies::INTEGER AS companies
  FROM marts.market_daily
  ORDER BY market, date
`);
