import { z } from 'zod';

/** Query of `GET /v2/financial/{id}`. */
export const FinancialQuery = z.strictObject({ year: z.int().min(1000).max(9999).optional() });
export type FinancialQuery = z.infer<typeof FinancialQuery>;

/** Query of `GET /v2/financial/ticker`. The reference shows no other parameters. */
export const FinancialTickerQuery = z.strictObject({ ticker: z.string().min(1) });
export type FinancialTickerQuery = z.infer<typeof FinancialTickerQuery>;

/** Value of an indicator: a number, which may be sent as text. Null and a missing field both mean "no value". */
export const IndicatorValue = z.union([z.number(), z.string()]).nullable();
export type IndicatorValue = z.infer<typeof IndicatorValue>;

/**
 * One year: values by indicator name. indicators.ts lists the documented names, but others may occur. Money is in the
 * year's `Currency`.
 */
export const FinancialYear = z.record(z.string(), IndicatorValue);
export type FinancialYear = z.infer<typeof FinancialYear>;

/**
 * Financial report: one entry for each year, with the year as text. May be empty. The SQL models check each value; the
 * client does not.
 */
export const FinancialReport = z.record(z.string().regex(/^\d{4}$/), FinancialYear);
export type FinancialReport = z.infer<typeof FinancialReport>;
