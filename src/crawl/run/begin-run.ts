import type { OpenRunInput, RunContext } from '../../../schemas/pipeline/run.js';
import { configChange } from '../../config/config-change.js';
import { readDataFolder } from '../../store/folder-identity.js';
import { newestStamp, pullManifests, pullRows } from '../../landing/index.js';
import type { CrawlDeps } from '../records/deps.js';
import { stampedAhead } from '../records/clock-off.js';
import { landOpening } from './close-run.js';
import { currentNight, lastSyncDate } from './earlier-runs.js';
import { closeEndedRuns, type RunFates } from './ended-runs.js';
import { openRun } from './open-run.js';
import { daysBefore, utcDay } from '../../base/time/time.js';

/**
 * Opens a run. Decides its parameters from its input, the configuration and earlier runs. Then lands its opening
 * record. Before that, lands what runs left that ended without landing it.
 * @param server what the Temporal server knows. `stateAttributes`: names of the search attributes for a run's state.
 * `fates`: asks how earlier runs ended; left out: earlier runs stay as they are
 * @throws TidemarkError `InvalidInput` with the wrong field and the allowed input
 */
export async function beginRun(
  deps: CrawlDeps,
  input: OpenRunInput,
  { stateAttributes, fates }: { stateAttributes: string[]; fates?: RunFates | undefined },
): Promise<RunContext> {
  const { dataDir } = deps.config;
  const now = deps.clock.now();
  await pullManifests(deps.data);
  await pullRows(deps.data, { streams: ['runs', 'coverage'] });
  // In every time zone, the current date is yesterday's UTC date or a later one, and so are the dates of new parts.
  const newest = newestStamp(dataDir, utcDay(daysBefore(now, 1)))?.stamp ?? null;
  if (newest !== null) deps.stamps?.after(newest);
  const ended = fates === undefined ? [] : await closeEndedRuns(deps, input.run, fates);
  const edited = configChange(deps.config);
  const folder = readDataFolder(dataDir);
  const ctx = openRun(deps.config, deps.clock, input, {
    ...(folder === null ? {} : { folder }),
    ...(newest !== null && newest > now.toISOString() ? { stampsAfter: newest } : {}),
    startedAt: (deps.stamps ?? deps.clock).now().toISOString(),
    stateAttributes,
    workers: deps.client.limits().workers,
    sizes: deps.sizes,
    notes: [
      edited === null ? null : `${edited}. This run uses the old settings. Restart the worker to use the new ones.`,
      stampedAhead(newest, now),
      ...ended,
    ],
    ...(input.workflowType === 'watchSync' ? { lastWatchSync: lastSyncDate(dataDir, now) } : {}),
    currentNight: (market, filters) => currentNight(dataDir, market, filters),
  });
  await landOpening(deps, ctx);
  return ctx;
}
