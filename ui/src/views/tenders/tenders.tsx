import type { JSX } from 'preact';
import type { Cell, TendersAnswer } from '../../../../schemas/explorer/api.js';
import { Card, Loaded, Nothing } from '../../components/basics.js';
import type { Column } from '../../components/data-table.js';
import { Chips, QueryList, readFilter, readSort } from '../../components/query-list.js';
import { Tabs, useTab } from '../../components/tabs.js';
import { cell, count, NONE } from '../../lib/format.js';
import { addDays } from '../../lib/month.js';
import { Link, useLocation } from '../../lib/router.js';
import { BY_DEADLINE, TENDER_FILTERS, TENDER_ORDERS, tenderAddress, tenderQuery } from '../../lib/tender-query.js';
import { useData } from '../../lib/use-data.js';
import { Calendar } from './calendar.js';
import { TenderFilters } from './filters.js';

type Row = Cell[];

const COLUMNS: Column<Row>[] = [
  {
    id: 'title',
    name: 'Title',
    width: 380,
    value: (row) => row[1],
    show: (row) => (
      <Link href={tenderAddress(cell(row[0]))} title={cell(row[1])}>
        {cell(row[1]) || cell(row[0])}
      </Link>
    ),
  },
  { id: 'deadline', name: 'Deadline', width: 110, value: (row) => row[4] },
  {
    id: 'days',
    name: 'Days left',
    width: 96,
    numeric: true,
    value: (row) => row[5],
    title: 'Days from the last reading of the tenders; only of open tenders',
  },
  { id: 'status', name: 'Status', width: 130, value: (row) => row[2] },
  { id: 'type', name: 'Type', width: 80, value: (row) => row[3] },
  { id: 'countries', name: 'Countries', width: 170, ...names(7) },
  { id: 'industries', name: 'Industries', width: 240, ...names(8) },
  { id: 'donors', name: 'Donors', width: 220, ...names(9) },
  { id: 'announced', name: 'Announced', width: 110, value: (row) => row[6] },
];

const SHOWN = [
  ['list', 'List'],
  ['calendar', 'Calendar'],
] as const;

/** Tenders as a list or a calendar. The parameters of the address are the filters. */
export function TendersView(): JSX.Element {
  const params = useLocation().searchParams;
  const data = useData<TendersAnswer>('/api/v1/tenders');
  const { filter, chosen } = readFilter(params, TENDER_FILTERS);
  const sort = readSort(params, TENDER_ORDERS, BY_DEADLINE);
  const show = useTab(SHOWN, 'show');
  return (
    <>
      <h1>Tenders</h1>
      <Loaded from={data}>
        {({ facets, pipeline }) =>
          pipeline.read_on === null ? (
            <Nothing>
              No tender is published. Runs read tenders if the configuration has a block <code>tenders</code>.
            </Nothing>
          ) : (
            <>
              <p class="about">
                Last read on {pipeline.read_on}. The API has no fields for the value of a tender and for ids of
                companies, so there is no filter by amount and no link to a company.
              </p>
              <Pipeline pipeline={pipeline} readOn={pipeline.read_on} />
              <TenderFilters facets={facets} filter={filter} />
              <div class="toolbar">
                <Chips chosen={chosen} none="All open tenders" />
                <span class="spacer" />
                <Tabs tabs={SHOWN} chosen={show} label="Show as" param="show" />
              </div>
              {show === 'calendar' ? (
                <Calendar filter={filter} asked={params.get('month') ?? ''} readOn={pipeline.read_on} />
              ) : (
                <QueryList
                  sql={tenderQuery(filter, sort)}
                  things="tenders"
                  chosen={chosen}
                  first="first"
                  columns={COLUMNS}
                  sort={sort}
                />
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** How many tenders are open, and how many of them close soon. Each number opens its list. */
function Pipeline({ pipeline, readOn }: { pipeline: TendersAnswer['pipeline']; readOn: string }): JSX.Element {
  const until = (days: number): string => `/tenders?to=${addDays(readOn, days)}`;
  const cards: [name: string, value: number, href: string | null][] = [
    ['Open', pipeline.open_tenders, '/tenders'],
    ['Close within 7 days', pipeline.in_7_days, until(7)],
    ['Close within 30 days', pipeline.in_30_days, until(30)],
    ['Open without a deadline', pipeline.without_deadline, null],
    ['All tenders', pipeline.tenders, '/tenders?stage=all'],
  ];
  return (
    <div class="cards">
      {cards.map(([name, value, href]) => (
        <Card
          key={name}
          name={name}
          value={count(value)}
          more={href === null ? undefined : <Link href={href}>Show the list</Link>}
        />
      ))}
    </div>
  );
}

function names(i: number): Pick<Column<Row>, 'value' | 'show'> {
  const text = (row: Row): string => {
    const value = row[i];
    return Array.isArray(value) ? value.map(cell).join(', ') : '';
  };
  return {
    value: (row) => text(row) || null,
    show: (row) => <span title={text(row)}>{text(row) || NONE}</span>,
  };
}
