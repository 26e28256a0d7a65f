import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import {
  createTable,
  getCoreRowModel,
  getSortedRowModel,
  type ColumnDef,
  type SortingState,
  type TableOptionsResolved,
} from '@tanstack/table-core';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { Cell } from '../../../schemas/explorer/api.js';
import { useExport } from '../lib/export.js';
import { cell, count, NONE } from '../lib/format.js';
import type { Order } from '../lib/list-query.js';
import { TextTable } from './basics.js';

/** A column of a table. `Row` is one record. */
export interface Column<Row> {
  id: string;
  name: string;
  /** Value to sort by. */
  value: (row: Row) => Cell | undefined;
  show?: (row: Row) => ComponentChildren;
  numeric?: boolean;
  /** Width in pixels. */
  width?: number;
  title?: string;
}

const ROW_HEIGHT = 34;
/** Shorter tables have no scroll area: all their rows are in the page. */
const SHORT = 40;
/** Rows of a table in an export. */
const MOST_PRINTED = 40;

interface Shown<Row> {
  /** Name of the table for screen readers. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** Height of a table with many rows, in pixels. */
  height?: number;
  /** The order of the rows, if they come sorted. `onSort` then asks for another order. */
  sort?: Order;
  onSort?: (order: Order) => void;
}

/** A table of rows. In an export, it has neither buttons nor an area that scrolls down. */
export function DataTable<Row>(shown: Shown<Row>): JSX.Element {
  return useExport() === null ? <SortedTable {...shown} /> : <PrintedTable {...shown} />;
}

function PrintedTable<Row>({ label, rows, columns }: Shown<Row>): JSX.Element {
  return (
    <>
      <TextTable label={label} heads={columns.map(({ name, numeric }) => ({ name, numeric }))}>
        {rows.slice(0, MOST_PRINTED).map((row, i) => (
          <Cells key={i} row={row} columns={columns} />
        ))}
      </TextTable>
      {rows.length > MOST_PRINTED && (
        <p class="about">
          {count(rows.length - MOST_PRINTED)} more rows in the explorer (<code>tidemark ui</code>).
        </p>
      )}
    </>
  );
}

function Cells<Row>({
  row,
  columns,
  index,
}: {
  row: Row;
  columns: readonly Column<Row>[];
  index?: number | undefined;
}): JSX.Element {
  return (
    <tr aria-rowindex={index}>
      {columns.map((column) => (
        <td key={column.id} class={column.numeric ? 'num' : undefined}>
          {column.show === undefined ? plain(column.value(row), column.numeric) : column.show(row)}
        </td>
      ))}
    </tr>
  );
}

/** A table that sorts by the heading. With many rows, only the visible ones are in the page. */
function SortedTable<Row>({ label, rows, columns, height = 520, sort, onSort }: Shown<Row>): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const [own, setOwn] = useState<SortingState>([]);
  const sorting = sort === undefined ? own : [sort];
  const setSorting = (next: SortingState): void => {
    const [first = { id: sorting[0]?.id ?? '', desc: !(sorting[0]?.desc ?? false) }] = next;
    if (onSort === undefined) setOwn(next);
    else onSort(first);
  };
  const table = useTable(rows, columns, sorting, setSorting, sort !== undefined);
  const sorted = table.getRowModel().rows;
  const long = sorted.length > SHORT;
  const items = useVirtual(long ? sorted.length : 0, scroller);
  const first = items[0];
  const last = items.at(-1);
  const visible = long ? items.map(({ index }) => sorted[index]) : sorted;
  const before = first?.start ?? 0;
  const after = last === undefined ? 0 : sorted.length * ROW_HEIGHT - last.end;
  const fixed = columns.some(({ width }) => width !== undefined);
  const width = columns.reduce((sum, column) => sum + (column.width ?? 160), 0);
  return (
    <div
      ref={scroller}
      class={long ? 'scroll tall' : 'scroll'}
      style={long ? { maxHeight: `${height}px` } : undefined}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table
        aria-rowcount={long ? sorted.length + 1 : undefined}
        class={fixed ? 'fixed' : undefined}
        style={fixed ? { minWidth: `${width}px` } : undefined}
      >
        {fixed && (
          <colgroup>
            {columns.map((column) => (
              <col key={column.id} style={{ width: `${column.width ?? 160}px` }} />
            ))}
          </colgroup>
        )}
        <thead>
          <tr>
            {table.getFlatHeaders().map((header, i) => {
              const order = header.column.getIsSorted();
              const column = columns[i];
              return (
                <th
                  key={header.id}
                  scope="col"
                  class={column?.numeric ? 'num' : undefined}
                  aria-sort={order === 'asc' ? 'ascending' : order === 'desc' ? 'descending' : undefined}
                  title={column?.title}
                >
                  <button type="button" onClick={() => header.column.toggleSorting()}>
                    {column?.name}
                    <span aria-hidden="true">{order === 'asc' ? ' ↑' : order === 'desc' ? ' ↓' : ''}</span>
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr aria-hidden="true" style={{ height: `${before}px` }} />}
          {visible.map((row) =>
            row === undefined ? null : (
              <Cells key={row.id} row={row.original} columns={columns} index={long ? row.index + 2 : undefined} />
            ),
          )}
          {after > 0 && <tr aria-hidden="true" style={{ height: `${after}px` }} />}
        </tbody>
      </table>
    </div>
  );
}

function plain(value: Cell | undefined, numeric = false): string {
  if (value === null || value === undefined) return NONE;
  return numeric ? count(value) : cell(value);
}

function useTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: SortingState,
  setSorting: (change: SortingState) => void,
  isSorted: boolean,
) {
  const definitions = useMemo<ColumnDef<Row>[]>(
    () =>
      columns.map(({ id, name, value, numeric }) => ({
        id,
        header: name,
        // Missing values are last in both directions.
        accessorFn: (row) => value(row) ?? undefined,
        sortingFn: (a, b, column) => compare(a.getValue(column), b.getValue(column)),
        sortDescFirst: numeric === true,
        sortUndefined: 'last',
      })),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const state = { sorting, columnPinning: {}, columnVisibility: {}, columnOrder: [], columnSizing: {} };
  const options: TableOptionsResolved<Row> = {
    data,
    columns: definitions,
    state,
    manualSorting: isSorted,
    onStateChange: () => undefined,
    onSortingChange: (change) => setSorting(typeof change === 'function' ? change(sorting) : change),
    renderFallbackValue: null,
    getCoreRowModel: useMemo(() => getCoreRowModel<Row>(), []),
    getSortedRowModel: useMemo(() => getSortedRowModel<Row>(), []),
  };
  const table = useRef(useMemo(() => createTable(options), [])).current;
  table.setOptions((old) => ({ ...old, ...options, state: { ...table.initialState, ...options.state } }));
  return table;
}

/** Orders values: numbers by size, other values as text. */
function compare(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return cell(a).localeCompare(cell(b), 'en', { numeric: true });
}

function useVirtual(rowCount: number, scroller: { readonly current: HTMLDivElement | null }) {
  const [, render] = useReducer<number, void>((n) => n + 1, 0);
  const virtual = useRef<Virtualizer<HTMLDivElement, Element>>();
  const options = {
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    initialRect: { width: 800, height: 520 },
    onChange: () => render(),
  };
  virtual.current ??= new Virtualizer(options);
  virtual.current.setOptions(options);
  useEffect(() => virtual.current?._didMount(), []);
  useEffect(() => virtual.current?._willUpdate());
  return virtual.current.getVirtualItems();
}
