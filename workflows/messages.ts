import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { DiscoverResult, QuotaWaiter } from '../schemas/pipeline/crawl.js';
import type { Progress } from '../schemas/pipeline/run.js';

/** How far a run is; every top-level workflow answers it. */
export const progressQuery = defineQuery<Progress>('progress');

/** The coverage proven so far; null before the market is enumerated or where there is nothing to enumerate. */
export const coverageQuery = defineQuery<DiscoverResult['coverage']>('coverage');

/** Stops before the next chunk; what is in flight is finished and landed. */
export const pauseSignal = defineSignal('pause');
export const resumeSignal = defineSignal('resume');

/** Ends the run after what is in flight: what it fetched is kept and published, its market stays as it was. */
export const stopSignal = defineSignal('stop');

/** Requests in flight of one chunk, from the next chunk on: a whole number up to 512; 0 returns to the configured one. */
export const setConcurrencySignal = defineSignal<[number]>('setConcurrency');

/** To the quota gate: a run that reached the daily limit stands in line. */
export const enterQuotaGateSignal = defineSignal<[QuotaWaiter]>('enterQuotaGate');

/** From the quota gate to a run: there is room again. */
export const quotaOpenedSignal = defineSignal('quotaOpened');
