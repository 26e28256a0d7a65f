import { NONE, type Columns } from './columns.js';
import { lowerBound } from './lower-bound.js';

/** A condition of a search on one column. `none` selects companies without a value. Bounds are inclusive. */
export type Criterion =
  | { column: RangeColumn; from: number; to: number }
  | { column: GroupColumn; values: readonly number[] }
  | { column: RangeColumn | GroupColumn; none: true };
export type RangeColumn = 'incorporated' | 'employees' | 'turnover';
export type GroupColumn = 'status' | 'legalForm' | 'country' | 'zip' | 'activities';

/**
 * Consecutive rows: positions `from` to `to - 1` in `order`. With `order` null, positions in the columns themselves.
 */
interface Run {
  order: Uint32Array | null;
  from: number;
  to: number;
}

type Test = (row: number) => boolean;

/** Rows that a search finds. Their order depends only on the search. */
export class Found {
  readonly total: number;

  constructor(private readonly runs: readonly Run[]) {
    this.total = sizeOf(runs);
  }

  /** Returns the found rows at positions `from` to `to - 1`. */
  rows(from: number, to: number): number[] {
    const rows: number[] = [];
    let before = 0;
    for (const run of this.runs) {
      const size = run.to - run.from;
      for (let i = Math.max(0, from - before); i < Math.min(size, to - before); i++)
        rows.push(run.order ? run.order[run.from + i]! : run.from + i);
      before += size;
      if (before >= to) break;
    }
    return rows;
  }
}

/**
 * Answers searches over columns sorted by incorporation. Uses sorted indexes, each built at its first use. A search
 * takes the rows of the criterion with the fewest rows and tests the other criteria on them.
 */
export class MarketIndex {
  private readonly groups = new Map<GroupColumn, Map<number, Uint32Array>>();
  private readonly sorted = new Map<RangeColumn, Uint32Array>();
  private readonly without = new Map<RangeColumn, Uint32Array>();

  constructor(readonly columns: Columns) {}

  /** Finds the rows that meet all criteria. */
  search(criteria: readonly Criterion[]): Found {
    const { companies } = this.columns;
    let days: Run = { order: null, from: 0, to: companies };
    const others: Criterion[] = [];
    for (const criterion of criteria) {
      if (criterion.column === 'incorporated') days = meet(days, this.daysOf(criterion));
      else others.push(criterion);
    }
    let best: { runs: Run[]; tested: Test[] } = { runs: [days], tested: others.map((other) => this.test(other)) };
    for (const criterion of others) {
      const { runs, ordered } = this.runsOf(criterion, days);
      if (sizeOf(runs) > sizeOf(best.runs)) continue;
      const tested = others.filter((other) => other !== criterion).map((other) => this.test(other));
      if (!ordered && days.to - days.from < companies) tested.push((row) => row >= days.from && row < days.to);
      best = { runs, tested };
    }
    return new Found(best.tested.length === 0 ? best.runs : [filter(best.runs, best.tested)]);
  }

  private daysOf(criterion: Criterion): Run {
    const days = this.columns.incorporated;
    if ('none' in criterion)
      return { order: null, from: lowerBound(days.length, (i) => days[i]! >= NONE), to: days.length };
    const { from, to } = criterion as { from: number; to: number };
    return {
      order: null,
      from: lowerBound(days.length, (i) => days[i]! >= from),
      to: lowerBound(days.length, (i) => days[i]! > Math.min(to, NONE - 1)),
    };
  }

  /** Rows that meet one criterion. If its index is sorted by day, returns only rows in a range of days. */
  private runsOf(criterion: Criterion, days: Run): { runs: Run[]; ordered: boolean } {
    if ('values' in criterion) {
      const groups = this.groupsOf(criterion.column);
      // Activities are grouped by set, so each company is in exactly one group.
      const wanted =
        criterion.column === 'activities'
          ? [...groups.keys()].filter(memberTest(criterion))
          : new Set(criterion.values);
      const rows = [...wanted].flatMap((value) => (value === NONE ? [] : (groups.get(value) ?? [])));
      return { runs: rows.map((order) => narrow(order, days)), ordered: true };
    }
    const column = criterion.column as RangeColumn;
    if ('none' in criterion) {
      const rows = isGroup(criterion.column) ? this.groupsOf(criterion.column).get(NONE) : this.withoutOf(column);
      return { runs: rows ? [narrow(rows, days)] : [], ordered: true };
    }
    const order = this.sortedOf(column);
    const values = this.columns[column];
    const from = lowerBound(order.length, (i) => values[order[i]!]! >= criterion.from);
    const to = lowerBound(order.length, (i) => values[order[i]!]! > criterion.to);
    return { runs: [{ order, from, to: Math.max(from, to) }], ordered: false };
  }

  private test(criterion: Criterion): Test {
    const values = this.columns[criterion.column];
    if ('none' in criterion) return (row) => values[row] === NONE;
    if ('values' in criterion) {
      const member = memberTest(criterion);
      return (row) => member(values[row]!);
    }
    return (row) => values[row]! >= criterion.from && values[row]! <= criterion.to && values[row] !== NONE;
  }

  private groupsOf(column: GroupColumn): Map<number, Uint32Array> {
    return lazily(this.groups, column, () => {
      const values = this.columns[column];
      const sizes = new Map<number, number>();
      for (const value of values) sizes.set(value, (sizes.get(value) ?? 0) + 1);
      const groups = new Map([...sizes.keys()].sort((a, b) => a - b).map((v) => [v, new Uint32Array(sizes.get(v)!)]));
      const filled = new Map<number, number>();
      for (let row = 0; row < values.length; row++) {
        const value = values[row]!;
        const at = filled.get(value) ?? 0;
        groups.get(value)![at] = row;
        filled.set(value, at + 1);
      }
      return groups;
    });
  }

  private sortedOf(column: RangeColumn): Uint32Array {
    return lazily(this.sorted, column, () => {
      const values = this.columns[column];
      const rows = Uint32Array.from({ length: values.length }, (_, row) => row);
      return rows.filter((row) => values[row] !== NONE).sort((a, b) => values[a]! - values[b]! || a - b);
    });
  }

  private withoutOf(column: RangeColumn): Uint32Array {
    return lazily(this.without, column, () => {
      const values = this.columns[column];
      return Uint32Array.from({ length: values.length }, (_, row) => row).filter((row) => values[row] === NONE);
    });
  }
}

function isGroup(column: RangeColumn | GroupColumn): column is GroupColumn {
  return column !== 'incorporated' && column !== 'employees' && column !== 'turnover';
}

/** Returns a test of group column values. Activities are sets of values, stored as bits. */
function memberTest({
  column,
  values,
}: {
  column: GroupColumn;
  values: readonly number[];
}): (value: number) => boolean {
  if (column === 'activities') {
    const mask = values.reduce((bits, value) => bits | (1 << value), 0);
    return (value) => (value & mask) !== 0;
  }
  const wanted = new Set(values);
  return (value) => value !== NONE && wanted.has(value);
}

function lazily<K, V>(cache: Map<K, V>, key: K, make: () => V): V {
  let value = cache.get(key);
  if (value === undefined) cache.set(key, (value = make()));
  return value;
}

function sizeOf(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + run.to - run.from, 0);
}

function meet(a: Run, b: Run): Run {
  const from = Math.max(a.from, b.from);
  return { order: null, from, to: Math.max(from, Math.min(a.to, b.to)) };
}

/** Limits an ascending order to a range of rows. */
function narrow(order: Uint32Array, rows: Run): Run {
  return {
    order,
    from: lowerBound(order.length, (i) => order[i]! >= rows.from),
    to: lowerBound(order.length, (i) => order[i]! >= rows.to),
  };
}

function filter(runs: readonly Run[], tests: readonly Test[]): Run {
  const found = new Uint32Array(sizeOf(runs));
  let size = 0;
  for (const { order, from, to } of runs) {
    for (let i = from; i < to; i++) {
      const row = order ? order[i]! : i;
      if (tests.every((test) => test(row))) found[size++] = row;
    }
  }
  return { order: found.slice(0, size), from: 0, to: size };
}
