/** What a list of companies is limited to. Empty values limit nothing. */
export interface ListFilter {
  market: string;
  country: string;
  industry: string;
  legal_form: string;
  status: string;
  /** A class of employees, such as `50-249`. */
  size: string;
  /** Least and largest number of employees. */
  employees_from: string;
  employees_to: string;
  growth: string;
  /** `entered` or `left`: companies that moved, on `date` or on any night. */
  moved: string;
  date: string;
}

/** The column by which a list is sorted. */
export interface Order {
  id: string;
  desc: boolean;
}

/** Value of a filter that means: companies without a value. */
export const WITHOUT = '(none)';

const SIZES: Record<string, string> = {
  '0-9': 'size < 10',
  '10-49': 'size >= 10 AND size < 50',
  '50-249': 'size >= 50 AND size < 250',
  '250-999': 'size >= 250 AND size < 1000',
  '1000+': 'size >= 1000',
};
const GROWTHS: Record<string, string> = {
  'below -50%': 'turnover_growth < -0.5',
  '-50% to -20%': 'turnover_growth >= -0.5 AND turnover_growth < -0.2',
  '-20% to -5%': 'turnover_growth >= -0.2 AND turnover_growth < -0.05',
  '-5% to 5%': 'turnover_growth >= -0.05 AND turnover_growth < 0.05',
  '5% to 20%': 'turnover_growth >= 0.05 AND turnover_growth < 0.2',
  '20% to 50%': 'turnover_growth >= 0.2 AND turnover_growth < 0.5',
  'above 50%': 'turnover_growth >= 0.5',
};

const NUMBER = /^\d{1,9}$/;

/** Writes a text as a SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const SIZE = 'coalesce(employees, employees_min)';

const LIST_ORDERS: Readonly<Record<string, string>> = {
  name: 'name',
  country: 'country_code',
  status: 'status',
  market: 'left_on',
  industry: 'industry',
  city: 'city',
  employees: SIZE,
  turnover: 'turnover_eur',
  eur: 'turnover_eur',
  growth: 'turnover_growth',
  margin: 'profit_margin',
};

/** What a list of companies can be sorted by: the columns of the page, with their expressions. */
export function listOrders({ moved }: ListFilter): Readonly<Record<string, string>> {
  return moved === '' ? LIST_ORDERS : { ...LIST_ORDERS, reason: 'reason' };
}

/** Says for each filter that cannot be used, why. Such a filter limits nothing. */
export function unusable(filter: ListFilter): Partial<Record<keyof ListFilter, string>> {
  const isChoice = (value: string, choices: Record<string, string>): boolean =>
    value === '' || value === WITHOUT || Object.hasOwn(choices, value);
  const isNumber = (value: string): boolean => value === '' || NUMBER.test(value);
  const isMove = ['', 'entered', 'left'].includes(filter.moved);
  return {
    ...(!isChoice(filter.size, SIZES) && { size: 'no such class' }),
    ...(!isNumber(filter.employees_from) && { employees_from: 'not a whole number from 0' }),
    ...(!isNumber(filter.employees_to) && { employees_to: 'not a whole number from 0' }),
    ...(!isChoice(filter.growth, GROWTHS) && { growth: 'no such class' }),
    ...(!isMove && { moved: 'neither entered nor left' }),
    ...(filter.date !== '' && !isDay(filter.date) && { date: 'not a day' }),
    ...(filter.date !== '' && (filter.moved === '' || !isMove) && { date: 'needs the filter Came or left' }),
  };
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Writes the query of a list: companies that match the filter, in an order. Missing values are last. */
export function listQuery(filter: ListFilter, order: Order): string {
  const where = [
    equals('country_code', filter.country),
    equals('industry', filter.industry),
    equals('legal_form', filter.legal_form),
    equals('status', filter.status),
    range(SIZE, SIZES, filter.size),
    bound('>=', filter.employees_from),
    bound('<=', filter.employees_to),
    range('turnover_growth', GROWTHS, filter.growth),
    filter.moved === '' ? members(filter.market) : '',
  ].filter((part) => part !== '');
  return [
    'SELECT company_id, name, country_code, status, in_market, left_on, industry, city, legal_form,',
    '  employees, employees_min, employees_max,',
    '  fiscal_year, turnover, turnover_currency, turnover_eur, turnover_growth, profit_margin',
    ...(filter.moved === ''
      ? ['FROM marts.companies']
      : ['  , reason', 'FROM marts.companies', `JOIN ${moves(filter)} AS moves USING (company_id)`]),
    ...(where.length === 0 ? [] : [`WHERE ${where.join('\n  AND ')}`]),
    `${orderBy(listOrders(filter), order, 'turnover_eur')}, ${SIZE} DESC NULLS LAST, company_id`,
  ].join('\n');
}

/**
 * Writes the order of a query. Missing values are last.
 * @param usual expression to sort by if the list has no such column
 */
export function orderBy(orders: Readonly<Record<string, string>>, { id, desc }: Order, usual: string): string {
  return `ORDER BY ${(Object.hasOwn(orders, id) && orders[id]) || usual} ${desc ? 'DESC' : 'ASC'} NULLS LAST`;
}

/** Writes the condition that a column has the value of a filter. An empty value limits nothing. */
export function equals(column: string, value: string): string {
  if (value === '') return '';
  return value === WITHOUT ? `${column} IS NULL` : `${column} = ${literal(value)}`;
}

function range(column: string, ranges: Record<string, string>, value: string): string {
  if (value === WITHOUT) return `${column} IS NULL`;
  const text = Object.hasOwn(ranges, value) ? ranges[value] : undefined;
  return text === undefined ? '' : text.replaceAll('size', column);
}

function bound(operator: string, value: string): string {
  return NUMBER.test(value) ? `${SIZE} ${operator} ${value}` : '';
}

function members(market: string): string {
  if (market === '') return 'in_market';
  // As in_market: found by the latest complete night, or by a night after it.
  const since = `coalesce((SELECT max(date) FROM ops.nights WHERE market = ${literal(market)} AND is_complete), DATE '0001-01-01')`;
  return `company_id IN (SELECT company_id FROM marts.market_members WHERE market = ${literal(market)} AND date >= ${since})`;
}

/** Writes the latest move of each company that the filter limits the list to. */
function moves({ market, moved, date }: ListFilter): string {
  const where = [
    `kind = ${literal(moved)}`,
    market === '' ? '' : `market = ${literal(market)}`,
    date === '' ? '' : `date = TRY_CAST(${literal(date)} AS DATE)`,
  ].filter((part) => part !== '');
  return `(
  SELECT company_id, arg_max(reason, date) AS reason
  FROM marts.market_moves WHERE ${where.join(' AND ')} GROUP BY company_id
)`;
}
