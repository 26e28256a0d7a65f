import { constants, existsSync, readdirSync, statSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import path from 'node:path';
import { makeFolderSync } from '../../store/files.js';
import { isSpool } from '../../landing/paths.js';
import { readDataFolder, shortId } from '../../store/folder-identity.js';
import { TidemarkError } from '../../base/errors.js';
import { stampedAhead } from '../../crawl/records/clock-off.js';
import { landingDir, publishedDir } from '../../store/data-folder.js';
import { listLanded, pullManifests, readManifests, type LandedPart } from '../../landing/index.js';
import { openData } from '../../store/working-copy.js';
import type { Config } from '../../config/config.js';
import { formatBytes, formatCount } from '../../../schemas/format.js';
import { fail, ok, warn, type Finding } from './finding.js';
import { DAY_MS } from '../../base/time/time.js';

const LOW_BYTES = 5 * 1024 ** 3;
// A running chunk often writes to its spool. A spool without a write for 24 h probably belongs to an
// ended run.
const STALE_MS = DAY_MS;

/** Checks that the data folder and the folders in it are writable, and how much disk space is free. */
export async function checkDisk(dataDir: string): Promise<Finding> {
  try {
    makeFolderSync(dataDir, 0o700);
    for (const folder of [dataDir, ...foldersIn(dataDir), ...foldersIn(publishedDir(dataDir))])
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    readDataFolder(dataDir);
  } catch (error) {
    return fail('disk', error);
  }
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const message = `${dataDir}${identity(dataDir)}, ${formatBytes(free)} free`;
  return free < LOW_BYTES
    ? warn('disk', message, 'Free disk space: a market of a million companies needs tens of GiB.')
    : ok('disk', message);
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => path.join(folder, name));
}

/** Text with the id of the data folder. Workers and runs show the same id. */
function identity(dataDir: string): string {
  const folder = readDataFolder(dataDir);
  return folder === null ? ', not used by a worker yet' : ` (id ${shortId(folder.id)})`;
}

/**
 * Checks that all landed parts exist, that no time stamp is in the future, and that no old spool is left.
 * @param now Real time, from which the age of a spool is computed
 * @param clockNow Time of the clock that stamps answers (TIDEMARK_NOW shifts it)
 */
export async function checkLanding(config: Config, now: Date, clockNow: Date): Promise<Finding> {
  const { dataDir } = config;
  try {
    const data = await openData(config);
    await pullManifests(data);
    const there = await listLanded(data);
    const parts = readManifests(dataDir);
    const gone = parts.filter(({ file }) => !(there?.has(file) ?? existsSync(file)));
    if (gone[0]) {
      return fail(
        'landing',
        new TidemarkError(
          'LandingCorrupt',
          `${formatCount(gone.length)} landed parts are missing. The first is ${gone[0].file}.`,
          {
            todo: 'Restore these parts from a backup. Without a backup: `tidemark quarantine` moves what is left of them out of the way, and says what is lost.',
          },
        ),
      );
    }
    const rows = parts.reduce((sum, part) => sum + part.rows, 0);
    const message = `${formatCount(parts.length)} parts, ${formatCount(rows)} rows`;
    const ahead = describeAhead(parts, clockNow);
    if (ahead !== null)
      return warn(
        'landing',
        `${message}; ${ahead}`,
        'Until that time, new answers get later time stamps than these, so that the newest answer of a record still counts. If that time is far away: `tidemark quarantine --run <run>` for each of these runs, then `tidemark replay`. The command says what is lost.',
      );
    const stale = staleSpools(landingDir(dataDir), now);
    return stale.length === 0
      ? ok('landing', message)
      : warn(
          'landing',
          `${message}; ${stale.length} spools of unfinished chunks`,
          'The next run lands the spools of ended runs: `tidemark snapshot`. `tidemark watch listen` lands the spools of dead receivers. Delete none of them: deliveries would be lost for good.',
        );
  } catch (error) {
    return fail('landing', error);
  }
}

/**
 * Describes the parts with a time stamp in the future, from a machine whose clock was ahead; null when there is none.
 */
function describeAhead(parts: readonly LandedPart[], now: Date): string | null {
  const ahead = parts
    .filter(({ lastFetchedAt }) => stampedAhead(lastFetchedAt, now) !== null)
    .toSorted((a, b) => (b.lastFetchedAt ?? '').localeCompare(a.lastFetchedAt ?? ''));
  if (ahead.length === 0) return null;
  const runs = [...new Set(ahead.map(({ run }) => run))];
  const named = `${runs.slice(0, 5).join(', ')}${runs.length > 5 ? ` and ${runs.length - 5} more` : ''}`;
  return `${formatCount(ahead.length)} parts have time stamps in the future, up to ${ahead[0]?.lastFetchedAt ?? ''}; runs: ${named}`;
}

function staleSpools(root: string, now: Date): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(isSpool)
    .filter((name) => {
      // A receiver or a chunk may remove it meanwhile.
      const found = statSync(path.join(root, name), { throwIfNoEntry: false });
      return found !== undefined && now.getTime() - found.mtimeMs > STALE_MS;
    });
}
