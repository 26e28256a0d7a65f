import { z } from 'zod';

/** Query of `GET /v2/financial/{id}`. */
export const FinancialQuery = z.strictObject({ year: z.int().min(1000).max(9999).optional() });
export type FinancialQuery = z.infer<typeof FinancialQuery>;

/** Query of `GET /v2/financial/ticker`; further parameters are not shown. */
export const FinancialTickerQuery = z.strictObject({ ticker: z.string().min(1) });
export type FinancialTickerQuery = z.infer<typeof FinancialTickerQuery>;

/** A value: numbers may come as text; null and missing mean none. */
export const IndicatorValue = z.union([z.number(), z.string()]).nullable();
export type IndicatorValue = z.infer<typeof IndicatorValue>;

/** One year: indicator name (see indicators.ts; others may come) to value. Money is in the year's `Currency`. */
export const FinancialYear = z.record(z.string(), IndicatorValue);
export type FinancialYear = z.infer<typeof FinancialYear>;

/** Financial report keyed by year as text; may be empty. Checked value by value in SQL, not by the client. */
export const FinancialReport = z.record(z.string().regex(/^\d{4}$/), FinancialYear);
export type FinancialReport = z.infer<typeof FinancialReport>;
