import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Keeps the JavaScript heap of a worker small. On a machine with much memory, Node lets garbage grow to several times
 * the size of the objects in use. DuckDB shares the process and needs this memory.
 */

// After a collection, the heap may grow by this share until the next one.
const GROWTH_PERCENT = 50;

let collect: (() => void) | undefined;

/** Lets the heap grow only by half between two collections. Call this once, when a worker starts. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** Frees the memory of objects that are no longer used. Takes about 50 ms. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
