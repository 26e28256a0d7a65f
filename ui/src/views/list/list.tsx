import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Cell, QueryAnswer } from '../../../../schemas/explorer/api.js';
import { Failure, Nothing } from '../../components/basics.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { download, request, requestFile } from '../../lib/api.js';
import { cell, count, growth, money, share } from '../../lib/format.js';
import { listQuery, type ListFilter } from '../../lib/list-query.js';
import { newId } from '../../lib/new-id.js';
import { go, Link, setParams, useLocation } from '../../lib/router.js';

const ROWS = 5_000;
const FILTERS: readonly (readonly [keyof ListFilter, string])[] = [
  ['market', 'Market'],
  ['country', 'Country'],
  ['industry', 'Industry'],
  ['legal_form', 'Legal form'],
  ['size', 'Employees'],
  ['growth', 'Growth'],
  ['moved', 'Moved'],
  ['date', 'Night'],
];

type Row = Cell[];

const at = (row: Row, i: number): Cell | undefined => row[i];
const COLUMNS: Column<Row>[] = [
  {
    id: 'name',
    name: 'Name',
    width: 260,
    value: (row) => at(row, 1),
    show: (row) => <Link href={`/company/${cell(row[0])}`}>{cell(row[1]) || `Company ${cell(row[0])}`}</Link>,
  },
  { id: 'country', name: 'Country', width: 84, value: (row) => at(row, 2) },
  { id: 'status', name: 'Status', width: 100, value: (row) => at(row, 3) },
  {
    id: 'market',
    name: 'In market',
    width: 120,
    value: (row) => at(row, 5),
    show: (row) => (row[4] === true ? 'yes' : row[5] === null ? 'no' : `left ${cell(row[5])}`),
  },
  { id: 'industry', name: 'Industry', width: 190, value: (row) => at(row, 6) },
  { id: 'city', name: 'City', width: 130, value: (row) => at(row, 7) },
  { id: 'employees', name: 'Employees', width: 104, numeric: true, value: (row) => at(row, 9) },
  {
    id: 'turnover',
    name: 'Turnover',
    width: 140,
    numeric: true,
    value: (row) => at(row, 13) ?? at(row, 11),
    show: (row) => money(row[11], row[12]),
    title: 'Sorts by EUR where a rate is known',
  },
  {
    id: 'eur',
    name: 'In EUR',
    width: 100,
    numeric: true,
    value: (row) => at(row, 13),
    show: (row) => money(row[13], null),
  },
  {
    id: 'growth',
    name: 'Growth',
    width: 96,
    numeric: true,
    value: (row) => at(row, 14),
    show: (row) => growth(row[14]),
  },
  {
    id: 'margin',
    name: 'Margin',
    width: 90,
    numeric: true,
    value: (row) => at(row, 15),
    show: (row) => share(row[15]),
  },
];

/** A list of companies. The parameters of the address are its filters. */
export function ListView(): JSX.Element {
  const params = useLocation().searchParams;
  const filter = Object.fromEntries(FILTERS.map(([key]) => [key, params.get(key) ?? ''])) as unknown as ListFilter;
  const sql = listQuery(filter);
  const [answer, setAnswer] = useState<QueryAnswer>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const body = { id: newId(), sql, rows: ROWS, seconds: 60 };
        setAnswer(await request<QueryAnswer>('/api/v1/query', { method: 'POST', body, signal: controller.signal }));
        setError(undefined);
      } catch (reason) {
        if (!controller.signal.aborted) setError(reason as Error);
      }
    };
    void load();
    return () => controller.abort();
  }, [sql]);
  const save = async (format: 'csv' | 'parquet' | 'arrow'): Promise<void> => {
    try {
      download(`companies.${format}`, await requestFile('/api/v1/export', { id: newId(), sql, format, seconds: 600 }));
    } catch (reason) {
      setError(reason as Error);
    }
  };
  const chosen = FILTERS.filter(([key]) => filter[key] !== '');
  return (
    <>
      <h1>Companies</h1>
      <ul class="chips" aria-label="Filters">
        {chosen.length === 0 && <li class="soft">All companies in a market</li>}
        {chosen.map(([key, name]) => (
          <li key={key}>
            {name}: <strong>{filter[key]}</strong>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove the filter ${name}`}
              onClick={() => setParams({ [key]: null })}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <div class="toolbar">
        <span role="status">
          {answer !== undefined && `${count(answer.rows.length)}${answer.more ? ' largest' : ''} companies`}
        </span>
        <span class="spacer" />
        <button type="button" onClick={() => go(`/sql#q=${encodeURIComponent(sql)}`)}>
          Open as SQL
        </button>
        <button type="button" onClick={() => void save('csv')}>
          CSV
        </button>
        <button type="button" onClick={() => void save('parquet')}>
          Parquet
        </button>
        <button type="button" onClick={() => void save('arrow')}>
          Arrow
        </button>
      </div>
      {error !== undefined && <Failure error={error} />}
      {answer === undefined && error === undefined && <p class="loading">Loading …</p>}
      {answer?.rows.length === 0 && <Nothing>No company matches these filters.</Nothing>}
      {answer !== undefined && answer.rows.length > 0 && (
        <DataTable label="Companies" rows={answer.rows} columns={COLUMNS} height={700} />
      )}
    </>
  );
}
