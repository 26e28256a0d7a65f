import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { LandingStream, RECORD_STREAMS } from '../../schemas/pipeline/landing.js';
import { landSpool } from './land-spool.js';
import { finishListing } from './listing-writer.js';
import { runFolder, spoolFile } from './paths.js';

// A list that was read to its middle is no list: who reads it would miss what the rest says. A run reads it anew.
const WHOLE_OR_NOT: ReadonlySet<string> = new Set(['tenders', 'watched_companies', 'nomenclatures']);

const LEFT = 'left-';

/**
 * Commits what chunks of a run that ends have in their spools, so that nothing that was answered is asked again and no
 * spool stays for ever. Halves of listings, and of Tidemark's own records, are removed.
 */
export async function adoptSpools(run: {
  dataDir: string;
  run: string;
  date: string;
  market: string | null;
}): Promise<void> {
  for (const stream of LandingStream.options) {
    const folder = runFolder({ ...run, stream });
    // A listing that was read to its end lacks only some of its commits.
    if (WHOLE_OR_NOT.has(stream)) await finishListing({ ...run, stream, chunk: stream });
    for (const chunk of spooled(folder)) {
      const spool = spoolFile(folder, chunk);
      if (RECORD_STREAMS.has(stream) || WHOLE_OR_NOT.has(stream)) {
        await rm(spool, { force: true });
        continue;
      }
      // Under a name of its own: the chunk itself is not done, should someone reset the run.
      const left = chunk.startsWith(LEFT) ? chunk : `${LEFT}${randomUUID().slice(0, 8)}-${chunk}`;
      await rename(spool, spoolFile(folder, left));
      await landSpool({ ...run, stream, chunk: left });
    }
  }
}

function spooled(folder: string): string[] {
  const spools = path.join(folder, '_spool');
  if (!existsSync(spools)) return [];
  return readdirSync(spools).flatMap((name) => /^part-(.+)\.ndjson$/.exec(name)?.[1] ?? []);
}
