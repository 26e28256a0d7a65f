import { currentBuild, listBuilds } from '../../warehouse/builds/builds.js';
import { formatInstant } from '../../../schemas/format.js';

/** The build that readers see. */
export interface ShownBuild {
  name: string;
  builtAt: string;
  /** Names of newer builds, newest first. Empty unless someone chose an older build (`tidemark publish --to`). */
  newer: string[];
}

/** Returns the build that readers see; null if `listBuilds` lacks it, for example after an upgrade of Tidemark. */
export function shownBuild(dataDir: string): ShownBuild | null {
  const builds = listBuilds(dataDir);
  const at = builds.findIndex(({ name }) => name === currentBuild(dataDir));
  const build = builds[at];
  if (build === undefined) return null;
  return { name: build.name, builtAt: build.builtAt, newer: builds.slice(0, at).map(({ name }) => name) };
}

/** Warns that readers do not see the newest build; null if they do. */
export function describeOlder({ name, builtAt, newer }: ShownBuild): string | null {
  const [newest] = newer;
  if (newest === undefined) return null;
  return `Readers see the older build ${name} of ${formatInstant(builtAt)}, until the next run publishes a new one. To show the newest build now: \`tidemark publish --to ${newest}\`.`;
}
