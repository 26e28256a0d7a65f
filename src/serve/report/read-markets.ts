import type { ApiRow, MarketsAnswer } from '../../../schemas/explorer/api.js';
import { readSqlFile } from '../../warehouse/duckdb/sql-files.js';
import type { Reader } from '../../warehouse/builds/reader.js';

/**
 * Reads the nights of all markets, and what the companies are.
 * @param market limits the companies to one market; null: all
 */
export async function readMarkets(reader: Reader, market: string | null): Promise<MarketsAnswer> {
  return {
    nights: await reader.rows<ApiRow>(readSqlFile('explorer/report/nights.sql').text),
    breakdown: await readBreakdown(reader, market),
  };
}

/** Reads what the companies of one market are; of all markets, if `market` is null. */
export async function readBreakdown(reader: Reader, market: string | null): Promise<MarketsAnswer['breakdown']> {
  return reader.rows<MarketsAnswer['breakdown'][number]>(readSqlFile('explorer/markets/breakdown.sql').text, {
    market,
  });
}
