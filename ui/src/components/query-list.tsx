import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Cell, QueryAnswer } from '../../../schemas/explorer/api.js';
import { request, saveExport } from '../lib/api.js';
import { count } from '../lib/format.js';
import type { Order } from '../lib/list-query.js';
import { newId } from '../lib/new-id.js';
import { go, setParams } from '../lib/router.js';
import { Failure, Nothing } from './basics.js';
import { DataTable, type Column } from './data-table.js';

const ROWS = 5_000;

/** A filter that is set: parameter in the address, name and value. */
interface Chosen {
  key: string;
  name: string;
  value: string;
}

/** Runs a query, and again when it changes. While a new answer is awaited, `answer` keeps the former one. */
export function useQuery(sql: string): { answer: QueryAnswer | undefined; error: Error | undefined } {
  const [state, setState] = useState<{ answer?: QueryAnswer; error?: Error }>({});
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const body = { id: newId(), sql, rows: ROWS, seconds: 60 };
        const { signal } = controller;
        setState({ answer: await request<QueryAnswer>('/api/v1/query', { method: 'POST', body, signal }) });
      } catch (reason) {
        if (!controller.signal.aborted) setState((old) => ({ ...old, error: reason as Error }));
      }
    };
    void load();
    return () => controller.abort();
  }, [sql]);
  return { answer: state.answer, error: state.error };
}

/**
 * The rows of a query as a table that sorts, exports, and opens as SQL.
 * @param things name of the rows, such as `companies`
 * @param chosen the filters that are set; an exported file is named after them
 * @param first which rows are shown if there are too many, such as `largest`
 */
export function QueryList({
  sql,
  things,
  chosen,
  first,
  columns,
  sort,
}: {
  sql: string;
  things: string;
  chosen: readonly Chosen[];
  first: string;
  columns: readonly Column<Cell[]>[];
  /** The order of the query. Another one goes into the address. */
  sort: Order;
}): JSX.Element {
  const { answer, error } = useQuery(sql);
  const [failed, setFailed] = useState<Error>();
  const save = async (format: 'csv' | 'parquet' | 'arrow'): Promise<void> => {
    try {
      const limits = chosen.flatMap(({ key, value }) => [key, value]);
      await saveExport([things, ...limits], { id: newId(), sql, format, seconds: 600 });
      setFailed(undefined);
    } catch (reason) {
      setFailed(reason as Error);
    }
  };
  const shown = error ?? failed;
  return (
    <>
      <div class="toolbar">
        <span role="status">
          {answer !== undefined && `${count(answer.rows.length)}${answer.more ? ` ${first}` : ''} ${things}`}
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
      {shown !== undefined && <Failure error={shown} />}
      {answer === undefined && error === undefined && <p class="loading">Loading …</p>}
      {answer?.rows.length === 0 && <Nothing>No {things} match these filters.</Nothing>}
      {answer !== undefined && answer.rows.length > 0 && (
        <DataTable label={things} rows={answer.rows} columns={columns} height={700} sort={sort} onSort={setSort} />
      )}
    </>
  );
}

/**
 * Reads the filters of a list from the address.
 * @param names parameter and name of each filter, in the order of the page
 * @returns the filters, and those that are set, for `Chips`
 */
export function readFilter<Key extends string>(
  params: URLSearchParams,
  names: readonly (readonly [Key, string])[],
): { filter: Record<Key, string>; chosen: { key: Key; name: string; value: string }[] } {
  const all = names.map(([key, name]) => ({ key, name, value: params.get(key) ?? '' }));
  return {
    filter: Object.fromEntries(all.map(({ key, value }) => [key, value])) as Record<Key, string>,
    chosen: all.filter(({ value }) => value !== ''),
  };
}

/** Reads the order of a list from the address: `sort=employees`, or `sort=-employees` for the largest first. */
export function readSort(params: URLSearchParams, orders: Readonly<Record<string, string>>, usual: Order): Order {
  const asked = params.get('sort') ?? '';
  const id = asked.replace(/^-/, '');
  return Object.hasOwn(orders, id) ? { id, desc: asked.startsWith('-') } : usual;
}

function setSort({ id, desc }: Order): void {
  setParams({ sort: `${desc ? '-' : ''}${id}` }, { replace: true });
}

/**
 * The chosen filters, each with a button that removes it.
 * @param none says what is shown without a filter
 * @param ignored what the address has, but the list does not use, with the reason
 */
export function Chips({
  chosen,
  none,
  ignored = [],
}: {
  chosen: readonly Chosen[];
  none: string;
  ignored?: readonly (Chosen & { why: string })[];
}): JSX.Element {
  const remove = (key: string, name: string): JSX.Element => (
    <button
      type="button"
      class="quiet"
      aria-label={`Remove the filter ${name}`}
      onClick={() => setParams({ [key]: null })}
    >
      ×
    </button>
  );
  return (
    <ul class="chips" aria-label="Filters">
      {chosen.length === 0 && <li class="soft">{none}</li>}
      {chosen.map(({ key, name, value }) => (
        <li key={key}>
          {name}: <strong>{value}</strong>
          {remove(key, name)}
        </li>
      ))}
      {ignored.map(({ key, name, value, why }) => (
        <li key={key} class="ignored">
          Ignored: {name} <strong>{value}</strong>, {why}
          {remove(key, name)}
        </li>
      ))}
    </ul>
  );
}
