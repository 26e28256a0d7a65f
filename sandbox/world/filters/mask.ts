import type { Columns } from '../columns.js';

/*
 * The market as a mask: one byte per company, 1 while it still matches. Every function narrows the mask by one
 * condition in one tight loop over one column.
 */

export type Mask = Uint8Array;

/** All listed companies. */
export function listedMask(columns: Columns): Mask {
  return columns.listed.slice();
}

/** Keeps companies whose value in a byte column is marked in `allowed` (256 flags). */
export function keepBytes(mask: Mask, column: Uint8Array, allowed: Uint8Array): void {
  for (let i = 0; i < mask.length; i++) mask[i]! &= allowed[column[i]!]!;
}

/** The same for a column of longer codes: `allowed` has a flag for each. */
export function keepCodes(mask: Mask, column: Uint16Array, allowed: Uint8Array): void {
  for (let i = 0; i < mask.length; i++) mask[i]! &= allowed[column[i]!]!;
}

/** Keeps companies that have any of the bits. */
export function keepAnyBit(mask: Mask, column: Uint8Array, bits: number): void {
  for (let i = 0; i < mask.length; i++) if ((column[i]! & bits) === 0) mask[i] = 0;
}

/** Keeps companies that have all of the bits. */
export function keepAllBits(mask: Mask, column: Uint8Array, bits: number): void {
  for (let i = 0; i < mask.length; i++) if ((column[i]! & bits) !== bits) mask[i] = 0;
}

/** Keeps values from `gte` to `lte`, both included; companies without a value (`none`) never match, bounds or not. */
export function keepInts(mask: Mask, column: Int32Array, gte: number, lte: number, none: number): void {
  for (let i = 0; i < mask.length; i++) {
    const value = column[i]!;
    if (value < gte || value > lte || value === none) mask[i] = 0;
  }
}

/** The same for columns whose missing value is NaN. */
export function keepDoubles(mask: Mask, column: Float64Array, gte: number, lte: number): void {
  for (let i = 0; i < mask.length; i++) {
    const value = column[i]!;
    // Written so that NaN fails.
    if (!(value >= gte && value <= lte)) mask[i] = 0;
  }
}

/** Keeps companies for which a slower question is answered yes; asked only of those still in. */
export function keepWhere(mask: Mask, holds: (index: number) => boolean): void {
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1 && !holds(i)) mask[i] = 0;
}

/** Indices still in, ascending. */
export function indicesOf(mask: Mask): Uint32Array {
  let count = 0;
  for (let i = 0; i < mask.length; i++) count += mask[i]!;
  const indices = new Uint32Array(count);
  for (let i = 0, n = 0; n < count; i++) if (mask[i] === 1) indices[n++] = i;
  return indices;
}

/** 256 flags with the given bytes set. */
export function flags(bytes: Iterable<number>): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) if (byte >= 0 && byte < 256) table[byte] = 1;
  return table;
}
