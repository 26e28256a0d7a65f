import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { RunContext } from '../../schemas/pipeline/run.js';
import { errorMessage } from '../core/errors.js';
import { writeFileAtomic } from '../core/files.js';
import { canonicalJson, type Calibration, type Distribution, type KnownMarket } from '../planner/index.js';
import { NotPublishedError, queryPublished } from '../warehouse/index.js';
import type { CrawlDeps } from './deps.js';
import { folderChanged } from './folder-changed.js';
import { readRotation, turnsAfter, type KeptTurns } from './rotation.js';

type Deps = Pick<CrawlDeps, 'config' | 'clock' | 'log'>;

/** `data/calibration/<market>.json`: what the last search of a market found out about the API, and for which question. */
interface KeptCalibration {
  baseUrl: string;
  filters: Record<string, unknown>;
  /** ISO instant. */
  at: string;
  calibration: Calibration;
  /** When each part of the market was last searched whole; null where no turns are taken. */
  turns: KeptTurns | null;
}

// An API may change; once a month everything is found out anew.
const CALIBRATION_DAYS = 30;
// A search that reached less than this share was aimed by knowledge that no longer holds.
const GOOD_SHARE = 0.9;

/**
 * What earlier nights tell of a run's market. It is kept with the run (`data/runs/<run>/known-market.json`), since the
 * plan of a later round or attempt has to be the same plan.
 */
export async function knownMarketOf(deps: Deps, ctx: RunContext, round: number): Promise<KnownMarket> {
  const file = path.join(deps.config.dataDir, 'runs', ctx.run, 'known-market.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as KnownMarket;
  // An older version kept none; in its runs a later round plans without.
  if (round > 0 && ctx.folder !== undefined)
    throw folderChanged(deps.config.dataDir, `${file}, by which the search was planned, is gone`);
  const known = round === 0 ? await readKnownMarket(deps, ctx) : { distributions: {} };
  await writeFileAtomic(file, `${JSON.stringify(known)}\n`);
  return known;
}

/** What the published warehouse and the last calibration tell of a market now; nothing before its first night. */
export async function readKnownMarket(deps: Deps, ctx: RunContext): Promise<KnownMarket> {
  const kept = readCalibration(deps, ctx);
  return {
    distributions: await readDistributions(deps, ctx),
    calibration: kept?.calibration ?? null,
    rotation: await readRotation(deps, ctx, kept?.turns ?? null),
  };
}

/** Keeps what a finished search found out; forgets it when the search reached too little. */
export async function keepCalibration(
  { config, clock }: Deps,
  ctx: RunContext,
  calibration: Calibration,
  share: number,
): Promise<void> {
  const file = calibrationFile(config.dataDir, ctx);
  if (share < GOOD_SHARE) {
    rmSync(file, { force: true });
    return;
  }
  const before = readKept(file);
  const kept: KeptCalibration = {
    baseUrl: config.api.baseUrl,
    filters: ctx.filters,
    // What was recalled is as old as it was.
    at: before?.at ?? clock.now().toISOString(),
    calibration,
    turns: turnsAfter(before?.turns ?? null, calibration.turns ?? null, ctx.date),
  };
  await writeFileAtomic(file, `${JSON.stringify(kept)}\n`);
}

function readCalibration({ config, clock }: Deps, ctx: RunContext): KeptCalibration | null {
  const file = calibrationFile(config.dataDir, ctx);
  const kept = readKept(file);
  if (!kept) return null;
  const ageDays = (clock.now().getTime() - Date.parse(kept.at)) / 86_400_000;
  const same = kept.baseUrl === config.api.baseUrl && canonicalJson(kept.filters) === canonicalJson(ctx.filters);
  if (same && ageDays >= 0 && ageDays < CALIBRATION_DAYS) return kept;
  rmSync(file, { force: true });
  return null;
}

function readKept(file: string): KeptCalibration | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KeptCalibration;
  } catch {
    return null; // none yet, or not readable: then it is found out anew
  }
}

function calibrationFile(dataDir: string, { market }: RunContext): string {
  return path.join(dataDir, 'calibration', `${encodeURIComponent(market ?? '')}.json`);
}

/** How the members of the market's current night spread over the dates of incorporation. */
async function readDistributions({ config, log }: Deps, ctx: RunContext): Promise<Record<string, Distribution>> {
  const market = `'${(ctx.market ?? '').replaceAll("'", "''")}'`;
  try {
    const rows = await queryPublished(
      config.dataDir,
      `SELECT CAST(c.founding_date AS VARCHAR), count(*)
       FROM marts.market_members AS m LEFT JOIN core.companies AS c USING (company_id)
       WHERE m.market = ${market} AND m.date = (SELECT max(date) FROM ops.nights WHERE market = ${market})
       GROUP BY 1 ORDER BY 1 NULLS LAST`,
    );
    const values = rows.flatMap(([day, companies]): [string, number][] =>
      typeof day === 'string' ? [[day, Number(companies)]] : [],
    );
    const without = Number(rows.find(([day]) => day === null)?.[1] ?? 0);
    return values.length === 0 ? {} : { company_incorporation: { values, without } };
  } catch (error) {
    if (!(error instanceof NotPublishedError)) log.warn(`search without past nights: ${errorMessage(error)}`);
    return {};
  }
}
