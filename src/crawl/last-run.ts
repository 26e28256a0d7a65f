import type { LandingStream } from '../../schemas/pipeline/landing.js';
import { readManifests } from '../landing/index.js';

/** The latest logical date under which something of this stream was landed; undefined when nothing was. */
export function lastRunDate(dataDir: string, stream: LandingStream): string | undefined {
  return readManifests(dataDir, { stream })
    .map((part) => part.date)
    .toSorted()
    .at(-1);
}
