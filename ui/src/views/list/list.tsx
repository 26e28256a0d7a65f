import type { JSX } from 'preact';
import type { Cell } from '../../../../schemas/explorer/api.js';
import type { Column } from '../../components/data-table.js';
import { Euro } from '../../components/euro.js';
import { Chips, QueryList, readFilter, readSort } from '../../components/query-list.js';
import { cell, count, growth, money, NONE, share } from '../../lib/format.js';
import { listOrders, listQuery, unusable, type ListFilter, type Order } from '../../lib/list-query.js';
import { Link, useLocation } from '../../lib/router.js';
import { ListFilters } from './filters.js';

const FILTERS: readonly (readonly [keyof ListFilter, string])[] = [
  ['market', 'Market'],
  ['country', 'Country'],
  ['industry', 'Industry'],
  ['legal_form', 'Legal form'],
  ['status', 'Status'],
  ['size', 'Employees'],
  ['employees_from', 'Employees from'],
  ['employees_to', 'Employees to'],
  ['growth', 'Growth'],
  ['moved', 'Came or left'],
  ['date', 'Night'],
];

type Row = Cell[];

interface Ignored {
  key: string;
  name: string;
  value: string;
  why: string;
}

const at = (row: Row, i: number): Cell | undefined => row[i];
const COLUMNS: Column<Row>[] = [
  {
    id: 'name',
    name: 'Name',
    width: 188,
    value: (row) => at(row, 1),
    show: (row) => <Link href={`/company/${cell(row[0])}`}>{cell(row[1]) || `Company ${cell(row[0])}`}</Link>,
  },
  { id: 'country', name: 'Country', width: 76, value: (row) => at(row, 2) },
  { id: 'status', name: 'Status', width: 112, value: (row) => at(row, 3) },
  {
    id: 'market',
    name: 'In market',
    width: 90,
    value: (row) => at(row, 5),
    show: (row) => (row[4] === true ? 'yes' : row[5] === null ? 'no' : `left ${cell(row[5])}`),
  },
  { id: 'industry', name: 'Industry', width: 156, value: (row) => at(row, 6) },
  { id: 'city', name: 'City', width: 134, value: (row) => at(row, 7) },
  { id: 'employees', name: 'Employees', width: 104, numeric: true, ...employees() },
  {
    id: 'turnover',
    name: 'Turnover',
    width: 118,
    numeric: true,
    // Amounts of different currencies have no order.
    value: (row) => at(row, 15),
    show: (row) => money(row[13], row[14]),
    title: 'In its own currency. Sorts by the value in EUR; amounts without one are last',
  },
  {
    id: 'eur',
    name: 'In EUR',
    width: 90,
    numeric: true,
    value: (row) => at(row, 15),
    show: (row) => <Euro eur={row[15]} amount={row[13]} currency={row[14]} year={row[12]} />,
  },
  {
    id: 'growth',
    name: 'Growth',
    width: 84,
    numeric: true,
    value: (row) => at(row, 16),
    show: (row) => growth(row[16]),
  },
  {
    id: 'margin',
    name: 'Margin',
    width: 76,
    numeric: true,
    value: (row) => at(row, 17),
    show: (row) => share(row[17]),
  },
];

const REASON: Column<Row> = {
  id: 'reason',
  name: 'Reason',
  width: 90,
  value: (row) => at(row, 18),
  title:
    'Why it left. inactive: no longer active; gone: the API no longer has its record; moved: a field that filters use has changed. Why it came: new, or returned',
};

/** Columns of a list of moves: the night when a company left needs more room. */
const MOVED_COLUMNS = COLUMNS.flatMap((column) =>
  column.id === 'market' ? [{ ...column, width: 132 }, REASON] : [column],
);

const BY_TURNOVER: Order = { id: 'eur', desc: true };

/** The number of employees in the latest report, or else the bounds that the company record gives. */
function employees(): Pick<Column<Row>, 'value' | 'show' | 'title'> {
  return {
    value: (row) => at(row, 9) ?? at(row, 10),
    show: (row) => {
      if (row[9] !== null) return count(row[9]);
      if (row[10] === null) return NONE;
      if (row[10] === row[11]) return count(row[10]);
      return row[11] === null ? `${count(row[10])}+` : `${count(row[10])}–${count(row[11])}`;
    },
    title: 'From the latest report, or else the class in the company record',
  };
}

function orderName(columns: readonly Column<Row>[], { id, desc }: Order): string {
  // Amounts of different currencies have no order.
  const name = ['turnover', 'eur'].includes(id) ? 'turnover in EUR' : columns.find((one) => one.id === id)?.name;
  return `${name ?? id}, ${desc ? 'descending' : 'ascending'}`;
}

/** Takes out the filters that cannot be used, and says why. */
function usable(
  { filter, chosen }: ReturnType<typeof readFilter<keyof ListFilter>>,
  params: URLSearchParams,
): Pick<ReturnType<typeof readFilter<keyof ListFilter>>, 'filter' | 'chosen'> & { ignored: Ignored[] } {
  const reasons = unusable(filter);
  const known = new Set<string>(['sort', ...FILTERS.map(([key]) => key)]);
  return {
    filter: { ...filter, ...Object.fromEntries(Object.keys(reasons).map((key) => [key, ''])) },
    chosen: chosen.filter(({ key }) => reasons[key] === undefined),
    ignored: [
      ...chosen.map((one) => ({ ...one, why: reasons[one.key] ?? '' })).filter(({ why }) => why !== ''),
      ...[...params]
        .filter(([key]) => !known.has(key))
        .map(([key, value]) => ({ key, name: key, value, why: 'no such filter' })),
    ],
  };
}

/** A list of companies. The parameters of the address are its filters and its order. */
export function ListView(): JSX.Element {
  const params = useLocation().searchParams;
  const asked = readFilter(params, FILTERS);
  const { filter, chosen, ignored } = usable(asked, params);
  const sort = readSort(params, listOrders(filter), BY_TURNOVER);
  const columns = filter.moved === '' ? COLUMNS : MOVED_COLUMNS;
  return (
    <>
      <h1>Companies</h1>
      <p class="about">
        A company is in its market until a complete night does not find it. An incomplete night may find fewer
        companies.
      </p>
      <Chips chosen={chosen} none="All companies in a market" ignored={ignored} />
      <ListFilters filter={asked.filter} />
      <p class="about">
        In the order of {orderName(columns, sort)}. Companies without a value come last. Equal ones are ordered by
        employees, the largest first. The number of employees, also in filters, is that of the latest report, or else
        the lower bound in the company record.
      </p>
      <QueryList
        sql={listQuery(filter, sort)}
        things="companies"
        chosen={chosen}
        first="first"
        columns={columns}
        sort={sort}
      />
    </>
  );
}
