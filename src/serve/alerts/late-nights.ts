import type { Alert } from '../../../schemas/pipeline/alert.js';
import { formatDuration, formatInstant } from '../../../schemas/format.js';
import { openPublished } from '../../warehouse/builds/published.js';
import { latestDate } from '../../base/time/clock.js';
import type { NightlyJob } from '../../config/schedule-ids.js';

/** A night that should be published by now: `schedule.lateAfter` has passed since its scheduled time. */
export interface DueNight {
  job: NightlyJob;
  /** Date of the night in the time zone of its schedule, `YYYY-MM-DD`. */
  date: string;
  /** Nominal time of the run. If a clock change skips it, the time that a clock without the change would show. */
  scheduledAt: Date;
  /** What Temporal says about the night, a sentence. */
  state: string;
  /** The run that the schedule started; null when it started none. */
  started: { workflowId: string; run: string } | null;
}

/** The latest published date of a nightly job. */
interface Latest {
  workflow_type: string;
  market: string | null;
  date: string;
}

// A run on a machine whose clock was ahead has a date in the future. Such a night does not stand for the nights before.
const LATEST = `
SELECT workflow_type, market, CAST(max(date) AS VARCHAR) AS date
FROM ops.runs
WHERE outcome IN ('complete', 'partial') AND held_back IS NULL AND date <= CAST($today AS DATE)
GROUP BY ALL`;

/** Reads the latest published date of each nightly job, up to today. Empty when nothing is published. */
export async function latestNights(dataDir: string, now: Date): Promise<Latest[]> {
  const published = await openPublished(dataDir).catch(() => null);
  if (published === null) return [];
  try {
    return await published.objects<Latest>(LATEST, { today: latestDate(now) });
  } finally {
    published.close();
  }
}

/** Returns an alert for each due night that is not published. Pure function. */
export function lateAlerts(due: readonly DueNight[], latest: readonly Latest[], now: Date): Alert[] {
  return due.flatMap(({ job, date, scheduledAt, state, started }): Alert[] => {
    const { market, workflowType, lateAfter } = job;
    const last = latest.find((one) => one.workflow_type === workflowType && one.market === market)?.date ?? null;
    if (last !== null && last >= date) return [];
    const name = market === null ? NAMES[workflowType] : `Market ${market}`;
    const again = market === null ? AGAIN[workflowType] : `tidemark snapshot --market ${market}`;
    return [
      {
        id: `${market === null ? NAMES_IN_IDS[workflowType] : `snapshot/${market}`}/${date}/late`,
        cause: 'late',
        market,
        date,
        title: `${name}, night of ${date}: not published in time`,
        facts: [
          `It was due to start at ${formatInstant(scheduledAt.toISOString())} and is not published ${formatDuration(lateAfter * 1_000)} later.`,
          state,
          last === null ? 'No earlier night is published.' : `Readers see the night of ${last}.`,
        ],
        todo: `Check with \`tidemark status\` and \`tidemark schedule list\`. To run the night now: \`${again}\`.`,
        workflowId: started?.workflowId ?? null,
        run: started?.run ?? null,
        at: now.toISOString(),
      },
    ];
  });
}

const NAMES = { marketSnapshot: 'Market', tenderSnapshot: 'Tenders', watchSync: 'Watch events' } as const;
const NAMES_IN_IDS = { marketSnapshot: 'snapshot', tenderSnapshot: 'tenders', watchSync: 'watch' } as const;
const AGAIN = {
  marketSnapshot: 'tidemark snapshot',
  tenderSnapshot: 'tidemark tenders',
  watchSync: 'tidemark watch sync',
} as const;
