import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const positive = z.number().positive();
const price = z.number().nonnegative();

/** Assumptions and prices of a capacity plan. They are inputs: nobody measured them. */
const CapacitySettings = z.strictObject({
  note: z.string(),
  date: z.string(),
  market: z.strictObject({
    companies: z.array(positive).min(1),
    /** Companies on a page of a search. */
    perPage: positive,
    /** Age in days at which a record is fetched again. */
    refreshDays: z.strictObject({ companies: positive, financials: positive }),
    /** Share of the companies that enter each day. As many leave. */
    enteredShare: z.number().min(0).max(1),
  }),
  api: z.strictObject({
    callsPerDay: z.array(positive).min(1),
    /** Days in which the first night is to end. */
    firstNightDays: positive,
    /** Time until an answer. */
    answerSeconds: positive,
    /** Requests in flight of one worker. */
    inFlight: positive,
  }),
  landingInBucket: z.strictObject({ recordsPerChunk: positive, requestsPerChunk: positive }),
  /** Days for which a replaced copy stays in the bucket. */
  copyKeptDays: positive,
  machine: z.strictObject({
    memoryGiB: z.array(positive).min(1),
    processors: positive,
    /** Time that the warehouse may take after a night has landed. */
    hoursPerNight: positive,
  }),
  prices: z.strictObject({
    currency: z.string(),
    thousandCalls: price,
    processorHour: price,
    memoryGiBHour: price,
    diskGiBMonth: price,
    bucketGiBMonth: price,
    thousandBucketWrites: price,
    thousandBucketReads: price,
  }),
});
export type CapacitySettings = z.infer<typeof CapacitySettings>;

/** Reads settings. Default: the examples in settings.json. */
export function readSettings(file = path.join(import.meta.dirname, 'settings.json')): CapacitySettings {
  return CapacitySettings.parse(JSON.parse(readFileSync(file, 'utf8')));
}
