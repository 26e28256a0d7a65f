import type { RunContext } from '../../schemas/pipeline/run.js';
import { errorMessage } from '../core/errors.js';
import type { Calibration, Rotation } from '../planner/index.js';
import { NotPublishedError, queryPublished } from '../warehouse/index.js';
import type { CrawlDeps } from './deps.js';
import { remainderNightsOf } from './market-plan.js';

/** When each part of a market was last searched whole (YYYY-MM-DD), and what the parts are made of. */
export interface KeptTurns {
  key: string;
  nights: string[];
}

// Members that were not asked for so many times the usual span are not carried on.
const LATE = 2;

/**
 * The part of a market that is searched whole tonight, the one that was not for longest, and who is carried over: the
 * current night's members without a date of incorporation. Null: the market is searched whole, since no turns are taken,
 * or too many were missed.
 */
export async function readRotation(
  { config, log }: Pick<CrawlDeps, 'config' | 'log'>,
  ctx: RunContext,
  turns: KeptTurns | null,
): Promise<Rotation | null> {
  const of = remainderNightsOf(config, ctx);
  const since = turns?.nights.toSorted()[0];
  if (!turns || since === undefined || turns.nights.length !== of || of < 2) return null;
  const age = (Date.parse(ctx.date) - Date.parse(since)) / 86_400_000;
  if (age < 0 || age > LATE * of) return null;
  const market = `'${(ctx.market ?? '').replaceAll("'", "''")}'`;
  try {
    const rows = await queryPublished(
      config.dataDir,
      `SELECT CAST(m.seen_on AS VARCHAR), list(CAST(m.company_id AS VARCHAR) ORDER BY m.company_id)
       FROM marts.market_members AS m JOIN core.companies AS c USING (company_id)
       WHERE m.market = ${market} AND m.date = (SELECT max(date) FROM ops.nights WHERE market = ${market})
         AND m.seen_on >= DATE '${since}' AND c.has_details AND c.founding_date IS NULL
       GROUP BY 1 ORDER BY 1`,
    );
    const carried = Object.fromEntries(rows as [string, string[]][]);
    return { key: turns.key, part: turns.nights.indexOf(since), of, carried };
  } catch (error) {
    if (!(error instanceof NotPublishedError)) log.warn(`search without past nights: ${errorMessage(error)}`);
    return null;
  }
}

/** What is kept for the next night, once some parts were searched. Parts that were never searched are no turns. */
export function turnsAfter(
  before: KeptTurns | null,
  taken: NonNullable<Calibration['turns']> | null,
  date: string,
): KeptTurns | null {
  if (!taken) return null;
  const nights = before?.key === taken.key ? [...before.nights] : [];
  for (const part of taken.searched) nights[part] = date;
  const isWhole = Array.from(nights).every((night) => night !== undefined);
  return isWhole && nights.length > 0 ? { key: taken.key, nights } : null;
}
