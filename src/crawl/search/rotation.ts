import type { RunContext } from '../../../schemas/pipeline/run.js';
import { errorMessage } from '../../core/errors.js';
import type { Calibration, Rotation } from '../../planner/index.js';
import { NotPublishedError } from '../../duckdb/errors.js';
import { queryPublished } from '../../builds/published.js';
import type { CrawlDeps } from '../deps.js';
import { remainderNightsOf } from './market-plan.js';

/**
 * The night (YYYY-MM-DD) that last searched each part of the rotation completely. `key` identifies the rotation: its
 * dimension, values and number of parts.
 */
export interface KeptTurns {
  key: string;
  nights: string[];
}

// A rotation has as many parts as nights. If the last complete search of one part is older than this many rotations,
// search the whole market again.
const LATE = 2;

/**
 * Chooses the part of the market to search completely tonight: the part whose last complete search is oldest. Also
 * reads the carried-over companies: members of the current night without a known date of incorporation. A search by
 * date may not find them.
 * @returns null when tonight must search the whole market, because there is no rotation or because too many nights were
 * missed
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
         AND m.seen_on >= DATE '${since}' AND c.founding_date IS NULL
       GROUP BY 1 ORDER BY 1`,
    );
    const carried = Object.fromEntries(rows as [string, string[]][]);
    return { key: turns.key, part: turns.nights.indexOf(since), of, carried };
  } catch (error) {
    if (!(error instanceof NotPublishedError))
      log.warn(`Cannot read past nights; the search starts without them: ${errorMessage(error)}`);
    return null;
  }
}

/**
 * Records in the rotation which parts tonight's search covered.
 * @param taken parts searched tonight; null without a rotation
 * @returns null if a part was never searched
 */
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
