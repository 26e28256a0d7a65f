import { statSync } from 'node:fs';
import path from 'node:path';
import { WEBHOOK_RUN } from '../../../schemas/pipeline/landing.js';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { TidemarkError } from '../../base/errors.js';
import { chunkOfSpool, refuseOld, runFolders, spoolsDir } from '../../landing/index.js';
import { namesIn } from '../../store/files.js';
import { PEOPLE_STREAMS } from '../../../schemas/streams/people.js';
import { MINUTE_MS } from '../../base/time/time.js';

/** A file of a crawl that changed within this time (milliseconds) may belong to a running worker. */
export const QUIET_MS = 10 * MINUTE_MS;

/** A file with answers that are not landed yet. */
export interface FoundSpool {
  stream: LandingStream;
  run: string;
  file: string;
}

/** Lists the spools of the streams about people. */
export function listPeopleSpools(dataDir: string): FoundSpool[] {
  return PEOPLE_STREAMS.flatMap((stream) =>
    [...runFolders(dataDir, stream)].flatMap(({ folder, run }) => {
      const spools = spoolsDir(folder);
      const files = namesIn(spools);
      for (const name of files) refuseOld(path.join(spools, name));
      const names = files.filter((name) => chunkOfSpool(name) !== undefined);
      return names.map((name) => ({ stream, run, file: path.join(spools, name) }));
    }),
  );
}

/**
 * Checks that no process holds answers about people that it has not landed yet.
 * @throws TidemarkError `WarehouseBusy` while a crawl or a webhook receiver may hold such answers
 */
export function requireQuiet(dataDir: string, now: number): void {
  for (const { stream, run, file } of listPeopleSpools(dataDir)) {
    if (run === WEBHOOK_RUN) {
      throw new TidemarkError('WarehouseBusy', `A webhook receiver is storing deliveries in ${file}.`, {
        todo: 'Stop `tidemark watch listen`, then run this command again. If the receiver was killed, start another one, wait three minutes, and stop it, too.',
        retryable: true,
      });
    }
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (now - changed < QUIET_MS) {
      throw new TidemarkError('WarehouseBusy', `Run ${run} is fetching ${stream}: ${file} changed a moment ago.`, {
        todo: 'Wait until the run has ended, or stop it (`tidemark stop`). If its worker was killed, wait 10 minutes.',
        retryable: true,
      });
    }
  }
}
