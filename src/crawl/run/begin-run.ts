import type { OpenRunInput, RunContext } from '../../../schemas/pipeline/run.js';
import { configChange } from '../../config/config-change.js';
import { readDataFolder } from '../../store/folder-identity.js';
import { newestStamp, pullManifests, pullRows } from '../../landing/index.js';
import type { CrawlDeps } from '../records/deps.js';
import { stampedAhead } from '../records/clock-off.js';
import { landOpening } from './close-run.js';
import { closeEndedRuns, type RunFates } from './ended-runs.js';
import { currentNight } from './current-night.js';
import { lastSyncDate } from './last-sync.js';
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
  { stateAttributes = [], fates }: { stateAttributes?: readonly string[]; fates?: RunFates | undefined } = {},
): Promise<RunContext> {
  const { dataDir } = deps.config;
  const now = deps.clock.now();
  await pullManifests(deps.data);
  await pullRows(deps.data, { streams: ['runs', 'coverage'] });
  const newest = newestStamp(dataDir, dayBefore(now))?.stamp ?? null;
  if (newest !== null) deps.stamps?.after(newest);
  const ended = fates === undefined ? [] : await closeEndedRuns(deps, input.run, fates);
  const edited = configChange(deps.config);
  const notes = [
    edited === null ? null : `${edited}. This run uses the old settings. Restart the worker to use the new ones.`,
    stampedAhead(newest, now),
    ...ended,
  ];
  const ctx = openRun(deps.config, deps.clock, input, {
    folder: readDataFolder(dataDir) ?? undefined,
    stateAttributes,
    stampsAfter: newest !== null && newest > now.toISOString() ? newest : null,
    startedAt: (deps.stamps ?? deps.clock).now(),
    notes: notes.filter((note) => note !== null),
    workers: deps.client.limits().workers,
    sizes: deps.sizes,
    lastWatchSync: lastSyncDate(dataDir, now),
    currentNight: (market, filters) => currentNight(dataDir, market, filters),
  });
  await landOpening(deps, ctx);
  return ctx;
}

/**
 * Returns the day before an instant, in UTC. In every time zone, the current date is this day or a later one. So all
 * parts landed from now on have this date or a later one.
 */
function dayBefore(now: Date): string {
  return utcDay(daysBefore(now, 1));
}
