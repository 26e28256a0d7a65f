import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DiscoverResult, QuotaWaiter } from '../schemas/pipeline/activities.js';
import type { GateReport } from '../schemas/pipeline/gate.js';
import type { Progress } from '../schemas/pipeline/run.js';

/** Query for a run's progress. Every workflow with a `WorkflowType` answers it. */
export const progressQuery = defineQuery<Progress>('progress');

/** Query for the coverage of the search. The answer is null before the search ends, and in runs without a search. */
export const coverageQuery = defineQuery<DiscoverResult['coverage']>('coverage');

/**
 * Pauses the run before its next chunk, listing or search round. Requests in flight finish, and their answers are
 * landed.
 */
export const pauseSignal = defineSignal('pause');
export const resumeSignal = defineSignal('resume');

/**
 * Stops the run. Requests in flight finish. Fetched records are kept and published. The market keeps its current night.
 */
export const stopSignal = defineSignal('stop');

/**
 * Sets how many requests all chunks together may have in flight: 1 to `api.maxConcurrency`. Takes effect from the next
 * chunk on. With 0, the configured number applies again. The run rejects any other number, and every number after the
 * crawl has ended. Returns the number in force; null: the configured one.
 */
export const setConcurrencyUpdate = defineUpdate<number | null, [number]>('setConcurrency');

/** Sent by the activities that build models and publish tables: the table on which they work (`TableProgress`). */
export const tableSignal = defineSignal<[unknown]>('table');

/** Returns the number of runs that wait at the quota gate. */
export const waitingQuery = defineQuery<number>('waiting');

/** Returns which runs wait at the quota gate, the last quota reading, and the time of the next one. */
export const gateQuery = defineQuery<GateReport>('gate');

/** Sent to the quota gate by a run that reached the daily limit. */
export const enterQuotaGateSignal = defineSignal<[QuotaWaiter]>('enterQuotaGate');

/** Sent by the quota gate to a waiting run when quota is left again. */
export const quotaOpenedSignal = defineSignal('quotaOpened');
