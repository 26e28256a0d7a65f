import type { Columns } from '../columns.js';

/*
 * The companies that still match during a search, as ascending indices. Each `keep…` function applies one condition, in
 * one loop over one column.
 *
 * For speed, the loops have no branches, because a CPU can predict branches wrongly. Each loop writes every index, but
 * increases `kept` only if the company matches.
 */
export class Rows {
  /** Company indices. Only the first `count` entries are valid. */
  list: Uint32Array;
  count: number;
  /** Array to which each filter writes the indices of the companies that still match. */
  readonly target: Uint32Array;

  /**
   * Starts with all companies that searches list. `target` must be large enough for all of them. It can be used again
   * after `result()`.
   */
  constructor(columns: Columns, target: Uint32Array) {
    this.list = columns.rows;
    this.count = columns.rows.length;
    this.target = target;
  }

  /** Removes all companies. */
  clear(): void {
    this.count = 0;
  }

  /**
   * Returns the matching indices. Do not change this list: if no filter was applied, it shares memory with the columns.
   */
  result(): Uint32Array {
    return this.list === this.target ? this.list.slice(0, this.count) : this.list.subarray(0, this.count);
  }
}

/** Keeps companies whose value in the column is allowed. `allowed` has 1 at the position of each allowed value. */
export function keepCodes(rows: Rows, column: Uint8Array | Uint16Array, allowed: Uint8Array): void {
  const { list, target, count } = rows;
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const i = list[k]!;
    target[kept] = i;
    kept += allowed[column[i]!]!;
  }
  take(rows, kept);
}

/**
 * Keeps companies with an allowed value in at least one of three columns. `allowed` has 1 at the position of each
 * allowed value.
 */
export function keepCodesOfAny(rows: Rows, columns: readonly Uint8Array[], allowed: Uint8Array): void {
  const { list, target, count } = rows;
  const [first, second, third] = columns as [Uint8Array, Uint8Array, Uint8Array];
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const i = list[k]!;
    target[kept] = i;
    kept += allowed[first[i]!]! | allowed[second[i]!]! | allowed[third[i]!]!;
  }
  take(rows, kept);
}

/** Keeps companies whose value in the column has at least one of the given bits. */
export function keepAnyBit(rows: Rows, column: Uint8Array, bits: number): void {
  keepCodes(
    rows,
    column,
    Uint8Array.from({ length: 256 }, (_, value) => ((value & bits) === 0 ? 0 : 1)),
  );
}

/**
 * Keeps companies whose value in the column has the bits `wanted` and no other bit of the mask `bits`. By default, all
 * bits of the mask must be set.
 */
export function keepBits(rows: Rows, column: Uint8Array, bits: number, wanted = bits): void {
  keepCodes(
    rows,
    column,
    Uint8Array.from({ length: 256 }, (_, value) => ((value & bits) === wanted ? 1 : 0)),
  );
}

/** Keeps companies with a value from `gte` to `lte`, both included. Companies without a value (`none`) never match. */
export function keepInts(rows: Rows, column: Int32Array, gte: number, lte: number, none: number): void {
  const { list, target, count } = rows;
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const i = list[k]!;
    const value = column[i]!;
    target[kept] = i;
    kept += (value >= gte ? 1 : 0) & (value <= lte ? 1 : 0) & (value === none ? 0 : 1);
  }
  take(rows, kept);
}

/** Like `keepInts`, for columns in which NaN marks a missing value. */
export function keepDoubles(rows: Rows, column: Float64Array, gte: number, lte: number): void {
  const { list, target, count } = rows;
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const i = list[k]!;
    const value = column[i]!;
    target[kept] = i;
    // Both comparisons are false for NaN.
    kept += (value >= gte ? 1 : 0) & (value <= lte ? 1 : 0);
  }
  take(rows, kept);
}

/**
 * Keeps companies whose code is allowed in their country. `tables` has one table of allowed codes for each country. A
 * country without a table keeps no company.
 */
export function keepCodesByCountry(
  rows: Rows,
  country: Uint8Array,
  column: Uint8Array | Uint16Array,
  tables: readonly (Uint8Array | undefined)[],
): void {
  keepCodes(
    rows,
    country,
    Uint8Array.from({ length: 256 }, (_, position) => (tables[position] === undefined ? 0 : 1)),
  );
  const { list, target, count } = rows;
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const i = list[k]!;
    target[kept] = i;
    kept += tables[country[i]!]![column[i]!]!;
  }
  take(rows, kept);
}

/** Keeps companies for which `holds` returns true. Slower than the filters that use a column. */
export function keepWhere(rows: Rows, holds: (index: number) => boolean): void {
  const { list, target, count } = rows;
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const i = list[k]!;
    if (holds(i)) target[kept++] = i;
  }
  take(rows, kept);
}

/** Keeps the given companies that still match, and removes all others. */
export function keepOnly(rows: Rows, indices: readonly number[]): void {
  const { list, count, target } = rows;
  const found = indices.filter((index) => isIn(list, count, index));
  const ascending = [...new Set(found)].toSorted((a, b) => a - b);
  target.set(ascending);
  take(rows, ascending.length);
}

function isIn(list: Uint32Array, count: number, index: number): boolean {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < index) low = middle + 1;
    else high = middle;
  }
  return low < count && list[low] === index;
}

function take(rows: Rows, kept: number): void {
  rows.list = rows.target;
  rows.count = kept;
}

/** Returns 256 flags. A flag is 1 if its position is one of the given bytes, else 0. */
export function flags(bytes: Iterable<number>): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) if (byte >= 0 && byte < 256) table[byte] = 1;
  return table;
}
