import { FinancialReport } from '../../schemas/v2/financial-report.js';
import { INDICATORS } from '../../schemas/v2/indicators.js';
import { readPartRows, type LandedPart } from '../../src/landing/index.js';

/** A checked value, as the TypeScript variants produce it. */
export interface LongRow {
  company: bigint;
  year: number;
  indicator: string;
  number: number | null;
  text: string | null;
}

const NUMERIC = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Yields the values of a part's reports, checked in TypeScript. zod checks the shape; the code checks years, numbers as
 * text and kinds of indicators.
 *
 * These variants do less work than the SQL: a wrong value drops its whole report, and repeated keys are not noticed.
 */
export function* checkedValues(part: LandedPart): Generator<LongRow> {
  for (const row of readPartRows(part)) {
    const report = FinancialReport.safeParse(JSON.parse(row.body));
    if (!report.success) continue;
    const company = BigInt(row.entity_id ?? 0);
    for (const [key, values] of Object.entries(report.data)) {
      const year = Number(key);
      if (year < 1800 || year > 2199) continue;
      for (const [indicator, value] of Object.entries(values)) {
        if (value === null) continue;
        const kind = INDICATORS.get(indicator);
        if (typeof value === 'number') {
          if (!Number.isFinite(value)) continue;
          yield { company, year, indicator, number: value, text: kind === 'string' ? String(value) : null };
        } else {
          const text = value.trim();
          const number = NUMERIC.test(text) ? Number(text) : null;
          if (text === '' || (number === null && kind !== undefined && kind !== 'string')) continue;
          yield { company, year, indicator, number, text };
        }
      }
    }
  }
}
