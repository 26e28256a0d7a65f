import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { DiscoverResult, QuotaWaiter } from '../schemas/pipeline/activities.js';
import type { Progress } from '../schemas/pipeline/run.js';

/** Returns a run's progress; every top-level workflow answers. */
export const progressQuery = defineQuery<Progress>('progress');

/** Returns the coverage proven so far; null before the search ends, and in runs without a search. */
export const coverageQuery = defineQuery<DiscoverResult['coverage']>('coverage');

/** Pauses the run before the next chunk. Requests in flight finish, and their answers are landed. */
export const pauseSignal = defineSignal('pause');
export const resumeSignal = defineSignal('resume');

/**
 * Stops the run. Requests in flight finish; fetched records are kept and published; the market keeps its current night.
 */
export const stopSignal = defineSignal('stop');

/**
 * Sets the requests in flight of all chunks together, from the next chunk on: 1 to 512. With 0, the configured number
 * applies again.
 */
export const setConcurrencySignal = defineSignal<[number]>('setConcurrency');

/** Sent to the quota gate by a run that reached the daily limit. */
export const enterQuotaGateSignal = defineSignal<[QuotaWaiter]>('enterQuotaGate');

/** Sent by the quota gate to a run when there is quota again. */
export const quotaOpenedSignal = defineSignal('quotaOpened');
