import type { Columns } from '../columns.js';

/*
 * What is left of the market: the indices of companies that still match, ascending. Every function narrows them by one
 * condition in one tight loop over one column. Loops have no branch to be guessed wrong: each index is written down,
 * and whether the next one overwrites it is added up.
 */
export class Rows {
  /** The first `count` entries count. */
  list: Uint32Array;
  count: number;
  /** Where narrowed lists are written. */
  readonly target: Uint32Array;

  /** All listed companies; `target` holds as many at least, and is free for others once the result is taken. */
  constructor(columns: Columns, target: Uint32Array) {
    this.list = columns.rows;
    this.count = columns.rows.length;
    this.target = target;
  }

  /** Leaves none. */
  clear(): void {
    this.count = 0;
  }

  /** A list of one's own, not to be changed where nothing was narrowed. */
  result(): Uint32Array {
    return this.list === this.target ? this.list.slice(0, this.count) : this.list.subarray(0, this.count);
  }
}

/** Keeps companies whose value in a column of small numbers is marked in `allowed`. */
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

/** Keeps companies with a marked value in any of the columns. */
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

/** Keeps companies that have any of the bits. */
export function keepAnyBit(rows: Rows, column: Uint8Array, bits: number): void {
  keepCodes(
    rows,
    column,
    Uint8Array.from({ length: 256 }, (_, value) => ((value & bits) === 0 ? 0 : 1)),
  );
}

/** Keeps companies whose bits of those in `bits` are `wanted`: all of them unless told otherwise. */
export function keepBits(rows: Rows, column: Uint8Array, bits: number, wanted = bits): void {
  keepCodes(
    rows,
    column,
    Uint8Array.from({ length: 256 }, (_, value) => ((value & bits) === wanted ? 1 : 0)),
  );
}

/** Keeps values from `gte` to `lte`, both included; companies without a value (`none`) never match, bounds or not. */
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

/** The same for columns whose missing value is NaN. */
export function keepDoubles(rows: Rows, column: Float64Array, gte: number, lte: number): void {
  const { list, target, count } = rows;
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const i = list[k]!;
    const value = column[i]!;
    target[kept] = i;
    // NaN is neither.
    kept += (value >= gte ? 1 : 0) & (value <= lte ? 1 : 0);
  }
  take(rows, kept);
}

/** Keeps companies whose code is marked in the table of their country; no table: none. */
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

/** Keeps companies for which a slower question is answered yes. */
export function keepWhere(rows: Rows, holds: (index: number) => boolean): void {
  const { list, target, count } = rows;
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const i = list[k]!;
    if (holds(i)) target[kept++] = i;
  }
  take(rows, kept);
}

/** Keeps the given companies, as far as they are still in. */
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

/** 256 flags with the given bytes set. */
export function flags(bytes: Iterable<number>): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) if (byte >= 0 && byte < 256) table[byte] = 1;
  return table;
}
