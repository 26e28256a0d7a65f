import { readFileSync } from 'node:fs';
import type { QuotaRecord } from '../../../schemas/pipeline/landing.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { calibrationFile, knownMarketFile } from '../../store/data-folder.js';
import { pullRows } from '../../landing/index.js';
import { writeFileAtomic } from '../../store/files.js';
import { canonicalJson } from '../../base/json/canonical-json.js';
import type { Calibration, KnownMarket } from './plan/index.js';
import type { CrawlDeps } from '../records/deps.js';
import { readRecords } from '../records/land-records.js';
import { readPastNights, type PastNights } from './past-nights.js';
import { folderChanged } from '../records/folder-changed.js';
import { DAY_MS } from '../../base/time/time.js';

type Deps = Pick<CrawlDeps, 'config' | 'data' | 'clock' | 'log'>;

/**
 * Content of the file `data/calibration/<market>.json`: what the last search of a market found out about the API.
 * `baseUrl` and `filters` are the settings of that search.
 */
interface KeptCalibration {
  baseUrl: string;
  filters: Record<string, unknown>;
  /** ISO instant of the calibration. */
  at: string;
  calibration: Calibration;
}

/** What a search plan is based on, beside the configuration. */
export interface SearchBasis extends KnownMarket {
  past: PastNights;
  /** Number of requests that the run may send today without using `quota.reserve`; null: unknown. */
  quotaLeft: number | null;
}

// The API may change, so calibrate again once a month.
const CALIBRATION_DAYS = 30;
// If a search found less than this share of the market's companies, its calibration counts as outdated and is deleted.
const GOOD_SHARE = 0.9;

/**
 * Returns what earlier nights found out about a run's market. Stores this in `data/runs/<run>/known-market.json`,
 * because later rounds and attempts of the run must make the same plan.
 * @throws TidemarkError `DataFolderChanged` when a later round does not find the file
 */
export async function knownMarketOf(deps: Deps, ctx: RunContext, round: number): Promise<SearchBasis> {
  const { dataDir } = deps.config;
  const file = knownMarketFile(dataDir, ctx.run);
  if (await deps.data.refresh(file)) return JSON.parse(readFileSync(file, 'utf8')) as SearchBasis;
  if (round > 0) throw folderChanged(dataDir, `the file ${file}, the basis of the search plan, is missing`);
  const known: SearchBasis = { ...(await readKnownMarket(deps, ctx)), quotaLeft: await readQuotaLeft(deps, ctx) };
  await deps.data.claim(file, `${JSON.stringify(known)}\n`);
  return JSON.parse(readFileSync(file, 'utf8')) as SearchBasis;
}

/**
 * Reads what the published warehouse and the last calibration say about a market. The result is empty before the first
 * night.
 */
export async function readKnownMarket(deps: Deps, ctx: RunContext): Promise<SearchBasis> {
  const calibration = await readCalibration(deps, ctx);
  return { ...(await readPastNights(deps, ctx)), calibration, quotaLeft: null };
}

/**
 * Stores the calibration of a finished search. If `share` is below GOOD_SHARE, deletes the stored calibration instead.
 * @param share found companies / reported companies
 */
export async function keepCalibration(
  { config, data, clock }: Deps,
  ctx: RunContext,
  calibration: Calibration,
  share: number,
): Promise<void> {
  const file = calibrationFile(config.dataDir, ctx.market ?? '');
  if (share < GOOD_SHARE) return data.remove(file);
  const before = readKept(file);
  const kept: KeptCalibration = {
    baseUrl: config.api.baseUrl,
    filters: ctx.filters,
    // If the search used the stored calibration, the calibration keeps its date.
    at: before?.at ?? clock.now().toISOString(),
    calibration,
  };
  await writeFileAtomic(file, `${JSON.stringify(kept)}\n`);
  await data.give(file);
}

async function readCalibration({ config, data, clock }: Deps, ctx: RunContext): Promise<Calibration | null> {
  const file = calibrationFile(config.dataDir, ctx.market ?? '');
  await data.refresh(file);
  const kept = readKept(file);
  if (!kept) return null;
  const ageDays = (clock.now().getTime() - Date.parse(kept.at)) / DAY_MS;
  const same = kept.baseUrl === config.api.baseUrl && canonicalJson(kept.filters) === canonicalJson(ctx.filters);
  if (same && ageDays >= 0 && ageDays < CALIBRATION_DAYS) return kept.calibration;
  await data.remove(file);
  return null;
}

function readKept(file: string): KeptCalibration | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KeptCalibration;
  } catch {
    return null; // missing or unreadable: calibrate again
  }
}

/** Reads how much of the daily quota was left when the run began, without `quota.reserve`. */
async function readQuotaLeft(deps: Deps, ctx: RunContext): Promise<number | null> {
  await pullRows(deps.data, { streams: ['quota'], run: ctx });
  const daily = readRecords<QuotaRecord>(deps, ctx, 'quota').filter((reading) => reading.daily && reading.total > 0);
  const last = daily.toSorted((a, b) => (a.read_at < b.read_at ? -1 : 1)).at(-1);
  return last ? Math.max(0, Math.floor(last.total * (1 - deps.config.quota.reserve)) - last.used) : null;
}
