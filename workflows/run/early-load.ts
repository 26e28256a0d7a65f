import { patched } from '@temporalio/workflow';
import type { LoadResult } from '../../schemas/pipeline/activities.js';
import type { RunContext } from '../../schemas/pipeline/run.js';
import { early } from '../proxies.js';

/** Rows that wait for a load before it starts in the middle of a stream. A load reads about as many rows at once. */
const MANY_ROWS = 20_000;
/** Rows that wait for a load before it starts between two streams. Fewer rows are not worth the cost of opening the warehouse. */
export const SOME_ROWS = 2_000;
/** A load starts before the end of a stream when this many times more rows wait than are still missing. */
const PER_MISSING_ROW = 4;

/**
 * Returns how many rows must wait before a load starts in the middle of a stream. Near its end, fewer rows are enough:
 * the load reads them while the last ones are fetched, so that the load at the run's end finds few.
 * @param missing records of the stream that are not fetched yet
 */
export function rowsToStart(missing: number): number {
  const least = Math.max(SOME_ROWS, missing * PER_MISSING_ROW);
  // Without this mark, the replay of a run by earlier workers would load where they did not.
  return missing > 0 && least < MANY_ROWS && patched('loads-before-a-stream-ends') ? least : MANY_ROWS;
}

/**
 * Loads landed answers while the run still fetches others, so that few are left to load when the last answer is there.
 * At most one load is in progress. A load that fails is not repeated: the load at the run's end reads what it left.
 */
export class EarlyLoad {
  #waiting = 0;
  #loading: Promise<void> | null = null;

  /** Counts rows that were landed, and that no load has read yet. */
  count(rows: number): void {
    this.#waiting += rows;
  }

  /** Call it after another activity has loaded all landed rows. */
  noneWait(): void {
    this.#waiting = 0;
  }

  /**
   * Starts a load if at least `least` rows wait, and no load is in progress.
   * @param onLoaded gets the result, if the load succeeds
   */
  start(ctx: RunContext, least: number, onLoaded: (result: LoadResult) => void): void {
    if (this.#waiting < least || this.#loading !== null) return;
    // Without this mark, the replay of a run by earlier workers would load where they did not.
    if (!patched('loads-early')) return;
    this.#waiting = 0;
    const load = async (): Promise<void> => {
      try {
        onLoaded(await early.loadEarly.executeWithOptions({ summary: 'load landed parts meanwhile' }, [ctx]));
      } catch {
        // The load at the run's end tries again, and reports the error.
      } finally {
        this.#loading = null;
      }
    };
    this.#loading = load();
  }

  /** Waits until no load is in progress. */
  async ended(): Promise<void> {
    await this.#loading;
  }
}
