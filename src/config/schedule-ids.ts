import type { ConfigFile } from './config-schema.js';

/** Prefix of Tidemark's schedule ids. Other schedules in the namespace are never changed. */
export const SCHEDULE_PREFIX = 'tidemark/';

/** Id of the schedule that looks for late nights. */
export const LATE_NIGHTS_SCHEDULE = `${SCHEDULE_PREFIX}late-nights`;

type Schedule = NonNullable<ConfigFile['markets'][number]['schedule']>;

/** A nightly job with a schedule in tidemark.yaml. */
export interface NightlyJob extends Schedule {
  scheduleId: string;
  workflowType: 'marketSnapshot' | 'tenderSnapshot' | 'watchSync';
  market: string | null;
}

/** Lists the nightly jobs with a schedule: one for each market, one for tenders, one for watch events. */
export function nightlyJobs({
  markets,
  tenders,
  watch,
}: Pick<ConfigFile, 'markets' | 'tenders' | 'watch'>): NightlyJob[] {
  const job = (schedule: Schedule | undefined, name: string, rest: Pick<NightlyJob, 'workflowType' | 'market'>) =>
    schedule ? [{ scheduleId: `${SCHEDULE_PREFIX}${name}`, ...rest, ...schedule }] : [];
  return [
    ...markets.flatMap(({ name, schedule }) =>
      job(schedule, `snapshot/${name}`, { workflowType: 'marketSnapshot', market: name }),
    ),
    ...job(tenders?.schedule, 'tenders', { workflowType: 'tenderSnapshot', market: null }),
    ...job(watch?.schedule, 'watch', { workflowType: 'watchSync', market: null }),
  ];
}
