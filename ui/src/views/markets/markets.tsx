import type { JSX } from 'preact';
import type { ApiRow, MarketsAnswer } from '../../../../schemas/explorer/api.js';
import { Badge, Card, Loaded, Nothing, Section } from '../../components/basics.js';
import { Chart } from '../../components/chart.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { useExport } from '../../lib/export.js';
import { cell, count, NONE, timeOf } from '../../lib/format.js';
import { WITHOUT } from '../../lib/list-query.js';
import { go, Link, setParams, useLocation } from '../../lib/router.js';
import { useData } from '../../lib/use-data.js';
import { groupColumns, type Group } from './group-columns.js';

const KINDS: readonly (readonly [Group['by'], string])[] = [
  ['country', 'Country'],
  ['industry', 'Industry'],
  ['size', 'Employees'],
  ['legal_form', 'Legal form'],
];
const GROWTH = ['below -50%', '-50% to -20%', '-20% to -5%', '-5% to 5%', '5% to 20%', '20% to 50%', 'above 50%'];

/** Nights in true distance of time. */
const NIGHT_AXIS = {
  type: 'time',
  minInterval: 86_400_000,
  axisLabel: { formatter: (time: number) => new Date(time).toISOString().slice(0, 10) },
};

/** Size of the markets over the nights, and what their companies are. The parameter `market` of the address limits it to one. */
export function MarketsView(): JSX.Element {
  const market = useLocation().searchParams.get('market') ?? '';
  const data = useData<MarketsAnswer>(`/api/v1/markets${market === '' ? '' : `?market=${encodeURIComponent(market)}`}`);
  return (
    <>
      <h1>Markets</h1>
      <Loaded from={data}>
        {({ nights, breakdown }) => {
          const names = [...new Set(nights.map((night) => cell(night['market'])))];
          const own = nights.filter((night) => market === '' || night['market'] === market);
          if (names.length === 0) return <Nothing>No night of a market is published yet.</Nothing>;
          return (
            <>
              <label class="filter">
                Market{' '}
                <select value={market} onChange={({ currentTarget }) => setParams({ market: currentTarget.value })}>
                  <option value="">All markets</option>
                  {names.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
              <Markets nights={own} breakdown={breakdown} market={market} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** The latest night of each market, its size over the nights, and its companies. `market`: limits the lists that open. */
export function Markets({ nights, breakdown, market }: MarketsAnswer & { market: string }): JSX.Element {
  return (
    <>
      <Latest nights={nights} />
      <Nights nights={nights} />
      <Breakdown groups={breakdown} market={market} />
    </>
  );
}

function Latest({ nights }: { nights: ApiRow[] }): JSX.Element {
  const last = new Map(nights.map((night) => [cell(night['market']), night]));
  return (
    <div class="cards">
      {[...last].map(([market, night]) => (
        <Card
          key={market}
          name={`${market}, ${cell(night['date'])}`}
          value={count(night['companies'])}
          more={
            <>
              found on this night <Completeness night={night} />
              <br />
              <Moves
                market={market}
                night={night}
                column="entered"
                text={night['entered'] === null ? 'who came is unknown' : `${count(night['entered'])} came`}
              />
              ,{' '}
              <Moves
                market={market}
                night={night}
                column="left"
                text={night['left'] === null ? 'who left is unknown' : `${count(night['left'])} left`}
              />
              , {night['changed'] !== null && `${count(night['changed'])} changed`}
            </>
          }
        />
      ))}
    </div>
  );
}

/** How many companies came or left on a night, with a link to their list. */
function Moves({
  market,
  night,
  column,
  text,
}: {
  market: string;
  night: ApiRow;
  column: 'entered' | 'left';
  text: string;
}): JSX.Element {
  if (night[column] === null || night[column] === 0) return <>{text}</>;
  return <Link href={movesAddress(market, column, cell(night['date']))}>{text}</Link>;
}

function movesAddress(market: string, moved: 'entered' | 'left', date: string): string {
  return `/companies?${new URLSearchParams({ ...(market !== '' && { market }), moved, date }).toString()}`;
}

function Nights({ nights }: { nights: ApiRow[] }): JSX.Element {
  const markets = [...new Set(nights.map((night) => cell(night['market'])))];
  const points = (market: string, incomplete: object): object[] =>
    nights
      .filter((night) => night['market'] === market)
      .map((night) => ({
        value: [timeOf(night['date']), night['companies'] === null ? null : Number(night['companies'])],
        ...(night['is_complete'] !== true && incomplete),
      }));
  const dates = [...new Set(nights.map((night) => cell(night['date'])))].toSorted();
  const sum = (date: string, column: string): number | null => {
    const known = nights.filter((night) => night['date'] === date && night[column] !== null);
    return known.length === 0 ? null : known.reduce((total, night) => total + Number(night[column]), 0);
  };
  return (
    <Section
      title="Nights"
      about="A diamond marks an incomplete night: it may have found fewer companies than the market has. Who came or left is left out if the night could not prove it."
    >
      <div class="charts">
        <Chart
          title="Companies"
          table={{
            columns: ['Market', 'Night', 'Companies', 'Search'],
            rows: nights.map((night) => [
              cell(night['market']),
              cell(night['date']),
              count(night['companies']),
              night['is_complete'] === true ? 'complete' : 'incomplete',
            ]),
          }}
          option={({ warn }) => ({
            tooltip: { trigger: 'axis' },
            legend: {},
            xAxis: NIGHT_AXIS,
            yAxis: { type: 'value', scale: true, minInterval: 1, axisLabel: { formatter: count } },
            series: markets.map((market) => ({
              type: 'line',
              name: market,
              data: points(market, { symbol: 'diamond', symbolSize: 14, itemStyle: { color: warn } }),
              symbolSize: 7,
              connectNulls: false,
            })),
          })}
        />
        {dates.every((date) => sum(date, 'entered') === null && sum(date, 'left') === null) ? (
          <Nothing>
            {dates.length < 2
              ? 'The second night shows how many companies came and left.'
              : 'No night could prove which companies came and left.'}
          </Nothing>
        ) : (
          <Chart
            title="Came and left"
            table={{
              columns: ['Night', 'Came', 'Left'],
              rows: dates.map((date) => [date, sum(date, 'entered') ?? NONE, sum(date, 'left') ?? NONE]),
            }}
            onPick={({ seriesName, data }) => {
              const date = new Date((data as [number])[0]).toISOString().slice(0, 10);
              go(
                movesAddress(
                  markets.length === 1 ? (markets[0] ?? '') : '',
                  seriesName === 'Came' ? 'entered' : 'left',
                  date,
                ),
              );
            }}
            option={({ good, warn }) => ({
              tooltip: { trigger: 'axis' },
              legend: {},
              xAxis: NIGHT_AXIS,
              yAxis: { type: 'value', minInterval: 1 },
              series: [
                bars('Came', dates, (date) => sum(date, 'entered'), good),
                bars('Left', dates, (date) => negative(sum(date, 'left')), warn),
              ],
            })}
          />
        )}
      </div>
      <DataTable label="Nights" rows={nights.toReversed()} columns={NIGHT_COLUMNS} height={320} />
    </Section>
  );
}

const NIGHT_COLUMNS: Column<ApiRow>[] = [
  {
    id: 'date',
    name: 'Night',
    value: (night) => night['date'],
    show: (night) => <span class="nowrap">{cell(night['date'])}</span>,
  },
  { id: 'market', name: 'Market', value: (night) => night['market'] },
  { id: 'companies', name: 'Companies', numeric: true, value: (night) => night['companies'] },
  movesColumn('entered', 'Came'),
  movesColumn('left', 'Left'),
  { id: 'changed', name: 'Changed', numeric: true, value: (night) => night['changed'] },
  {
    id: 'complete',
    name: 'State',
    value: (night) => night['is_whole'],
    show: (night) => <Completeness night={night} />,
  },
];

function movesColumn(column: 'entered' | 'left', name: string): Column<ApiRow> {
  return {
    id: column,
    name,
    numeric: true,
    value: (night) => night[column],
    show: (night) => <Moves market={cell(night['market'])} night={night} column={column} text={count(night[column])} />,
  };
}

/** Whether companies or records of a night are missing. The reasons are in Operations. */
function Completeness({ night }: { night: ApiRow }): JSX.Element {
  if (night['is_whole'] === true) return <Badge kind="good">complete</Badge>;
  const isFound = night['is_complete'] === true;
  return (
    <Link href={isFound ? '/operations?tab=runs' : `/operations?tab=coverage&night=${cell(night['date'])}`}>
      <Badge kind="warn">{isFound ? 'records missing' : 'companies missing'}</Badge>
    </Link>
  );
}

function bars(name: string, dates: string[], value: (date: string) => number | null, color: string): object {
  return {
    type: 'bar',
    name,
    stack: 'moves',
    barMaxWidth: 26,
    itemStyle: { color },
    data: dates.map((date) => [timeOf(date), value(date)]),
  };
}

function negative(value: number | null): number | null {
  return value === null ? null : -value;
}

function Breakdown({ groups, market }: { groups: Group[]; market: string }): JSX.Element {
  const list = (by: string, value: string | null): string =>
    `/companies?${new URLSearchParams({ ...(market !== '' && { market }), [by]: value ?? WITHOUT }).toString()}`;
  const growths = GROWTH.map(
    (value) => groups.find((group) => group.by === 'growth' && group.value === value)?.companies ?? 0,
  );
  // Each company has one class of growth, so these groups count each company once.
  const total = groups.reduce((sum, group) => sum + (group.by === 'growth' ? group.companies : 0), 0);
  const exported = useExport() !== null;
  const without = groups.find((group) => group.by === 'growth' && group.value === null)?.companies ?? 0;
  return (
    <Section
      title="Companies by group"
      about={
        <>
          The {count(total)} companies that are in {market === '' ? 'a market' : market} now. A company is in its market
          until a complete night does not find it. So an incomplete night may find fewer companies.{' '}
          {!exported && 'Each name opens the list of its companies, which can be exported.'}
        </>
      }
    >
      <p class="about">
        Turnover is the sum of the companies whose turnover is known in EUR. Growth compares the latest fiscal year of
        each company with the year before. “+5% of 14” means: 14 companies have both years. The growth of the sum also
        needs their exchange rates, so it may compare fewer.
      </p>
      <div class="breakdown">
        {KINDS.map(([by, name]) => (
          <div key={by}>
            <h3>{name}</h3>
            <DataTable
              label={name}
              rows={groups.filter((group) => group.by === by)}
              columns={groupColumns(by, name, list)}
            />
          </div>
        ))}
      </div>
      <div class="charts">
        <Chart
          title="Growth of turnover against the year before"
          height={330}
          table={{
            columns: ['Growth', 'Companies'],
            rows: [...GROWTH.map((value, i): [string, number] => [value, growths[i] ?? 0]), ['unknown', without]],
          }}
          onPick={({ name }) => go(list('growth', name))}
          option={() => ({
            tooltip: { trigger: 'axis' },
            legend: { show: false },
            xAxis: { type: 'category', data: GROWTH, axisLabel: { rotate: 30, hideOverlap: false } },
            yAxis: { type: 'value', minInterval: 1 },
            series: [{ type: 'bar', name: 'Companies', data: growths }],
          })}
        />
      </div>
    </Section>
  );
}
