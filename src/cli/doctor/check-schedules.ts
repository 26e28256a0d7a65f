import type { Config } from '../../config/config.js';
import { nightlyJobs } from '../../config/schedule-ids.js';
import { scheduleWarnings } from '../schedule/schedule-warnings.js';
import { ok, warn, type Finding } from './finding.js';

/** Warns about each declared schedule with nights that a clock change skips or repeats. */
export function checkSchedules(config: Config, now: Date): Finding[] {
  const count = nightlyJobs(config).length;
  const faults = scheduleWarnings(config, now).map(({ message, todo }) => warn('schedules', message, todo));
  if (faults.length > 0) return faults;
  if (count === 0) return [ok('schedules', 'none declared; no run starts by itself')];
  return [ok('schedules', `${count} declared; each night of the next 366 days exists once`)];
}
