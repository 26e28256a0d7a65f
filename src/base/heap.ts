import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Keeps the JavaScript heap of a worker small. On a machine with much memory, Node lets garbage grow to several times
 * the size of the objects in use. DuckDB shares the process and needs this memory.
 */

// After a collection, the heap may grow by this share until the next one.
const GROWTH_PERCENT = 50;

// A collection costs about 100 ms of CPU time. It is not worth that for less garbage.
const LEAST_GROWTH = 16 * 2 ** 20;

let collect: (() => void) | undefined;
let usedBefore = 0;

/** Lets the heap grow only by half between two collections. Call this once, when a worker starts. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** Frees the memory of objects that are no longer used, if the heap has grown by 16 MiB since the last call. */
export function collectGarbage(): void {
  if (usedBytes() < usedBefore + LEAST_GROWTH) return;
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
  usedBefore = usedBytes();
}

function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}
