import { z } from 'zod';

import { Id, Text } from '../v2/scalars.js';

/** One indicator of a report. The reference does not explain `progress`. */
export const V1Indicator = z.looseObject({
  value: z.number().nullish(),
  processedTime: z.number().nullish(),
  progress: z.number().nullish(),
});
export type V1Indicator = z.infer<typeof V1Indicator>;

/** The report of one date. */
export const V1Report = z.looseObject({
  /** yyyymmdd as an integer. */
  date: z.int(),
  indicators: z.record(z.string(), V1Indicator),
  modifyDate: z.number().nullish(),
  /** yyyymmdd as an integer. */
  sourceProcessedDate: z.int().nullish(),
});
export type V1Report = z.infer<typeof V1Report>;

/** Answer of `GET /v1/finder/company/financial`. */
export const V1FinancialReport = z.looseObject({
  reports: z.array(V1Report),
  country: Text,
  companyId: Id.nullish(),
});
export type V1FinancialReport = z.infer<typeof V1FinancialReport>;
