import type { ScheduleRow } from '../schedule/schedule-list.js';

/* What differs between the configuration, the schedules and the running work, as sentences for people. */

/** The facts about a running workflow that `describeVersions` needs. */
interface RunFacts {
  version: string | null;
  otherSettings: boolean | null;
}

/** Says that a run uses other settings than the configuration file, or another worker version than new runs. */
export function describeVersions(
  { version, otherSettings }: RunFacts,
  { currentVersion }: { currentVersion: string | null },
): string[] {
  const settings =
    otherSettings === true
      ? [
          'The run uses other settings than the configuration file has now. A run keeps the settings with which it began. The next run uses the new ones.',
        ]
      : [];
  const pinned =
    version !== null && version !== currentVersion
      ? [
          `The run is pinned to worker version ${version} and ends on it. New runs start on ${currentVersion === null ? 'workers without a version' : `version ${currentVersion}`}.`,
        ]
      : [];
  return [...settings, ...pinned];
}

/** Says which schedules differ from the configuration file or start no runs, with the remedy. */
export function describeSchedules(schedules: readonly ScheduleRow[]): string[] {
  const named = (state: ScheduleRow['state']): string =>
    schedules
      .filter((row) => row.state === state)
      .map(({ schedule }) => schedule)
      .join(', ');
  const apply = '`tidemark schedule apply`';
  const words = {
    changed: (names: string) => `Differs from the configuration file: ${names}. ${apply} updates it.`,
    'not applied': (names: string) =>
      `Declared, but not on the server, so no run starts: ${names}. ${apply} creates it.`,
    undeclared: (names: string) => `Not in the configuration file: ${names}. ${apply} removes it.`,
    paused: (names: string) => `Paused, so no run starts: ${names}. To continue: \`tidemark schedule resume <id>\`.`,
  };
  return (Object.keys(words) as (keyof typeof words)[]).flatMap((state) => {
    const names = named(state);
    return names === '' ? [] : [words[state](names)];
  });
}
