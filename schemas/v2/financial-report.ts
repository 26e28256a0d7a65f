import { z } from 'zod';

/** Query of `GET /v2/financial/{id}`. */
export const FinancialQuery = z.strictObject({ year: z.int().min(1000).max(9999).optional() });
export type FinancialQuery = z.infer<typeof FinancialQuery>;

/** Query of `GET /v2/financial/ticker`; the reference does not show further parameters. */
export const FinancialTickerQuery = z.strictObject({ ticker: z.string().min(1) });
export type FinancialTickerQuery = z.infer<typeof FinancialTickerQuery>;

/** Value of an indicator: a number, possibly as text. Null and missing mean "no value". */
export const IndicatorValue = z.union([z.number(), z.string()]).nullable();
export type IndicatorValue = z.infer<typeof IndicatorValue>;

/** One year: values by indicator name (see indicators.ts; other names may occur). Money is in the year's `Currency`. */
export const FinancialYear = z.record(z.string(), IndicatorValue);
export type FinancialYear = z.infer<typeof FinancialYear>;

/**
 * Financial report: one entry for each year, with the year as text; may be empty. SQL checks each value, the client
 * does not.
 */
export const FinancialReport = z.record(z.string().regex(/^\d{4}$/), FinancialYear);
export type FinancialReport = z.infer<typeof FinancialReport>;
