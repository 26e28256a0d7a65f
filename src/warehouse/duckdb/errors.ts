import { errorMessage, TidemarkError } from '../../base/errors.js';
import { asDiskError, DamagedFileError } from '../../store/disk-errors.js';
import { formatCount } from '../../../schemas/format.js';
import { OutOfMemoryError } from './memory-limit.js';

/** Another process, or another part of this process, has opened the warehouse file. So nothing was read or written. */
export class WarehouseBusyError extends TidemarkError {
  constructor(file: string, cause?: unknown, holder?: string) {
    const pid = /PID (\d+)/.exec(errorMessage(cause))?.[1];
    const by = holder ?? `another process${pid === undefined ? '' : ` (PID ${pid})`}`;
    super('WarehouseBusy', `The warehouse ${file} is in use by ${by}.`, {
      todo: 'Only one process can write at a time. Wait for the other worker, or close the program that has this file open. To read, open data/published/market.duckdb instead.',
      retryable: true,
      cause,
    });
  }
}

/** What `loadLanding` did. */
export interface LoadCounts {
  parts: number;
  rows: number;
  rejects: number;
  /** Why some batches could not be checked for schema drift. Missing if all were checked. */
  driftFault?: string;
  /** Message about loaded parts that are no longer in the landing zone. Missing if there are none. */
  gone?: string;
  /** Message about answers that could not be loaded and became rejects. Missing if there are none. */
  setAside?: string;
}

const RESTORE =
  'Restore each file from a backup. Without a backup: `tidemark quarantine` moves it out of the way, and says what is lost. All other parts are loaded.';

/** Some landed parts do not match their manifests. All other parts were loaded; `loaded` says how many. */
export class LandingCorruptError extends TidemarkError {
  readonly faults: string[];
  readonly loaded: LoadCounts;
  /** Whether all other parts were loaded. */
  readonly othersLoaded: boolean;

  constructor(faults: string[], loaded: LoadCounts, todo = RESTORE) {
    super(
      'LandingCorrupt',
      `Landing zone: ${formatCount(faults.length)} damaged or missing files: ${faults.slice(0, 5).join('; ')}${faults.length > 5 ? '; …' : ''}.`,
      { todo },
    );
    this.faults = faults;
    this.loaded = loaded;
    this.othersLoaded = todo === RESTORE;
  }
}

/**
 * A SQL statement failed, an audit of severity `error` failed, or a model has wrong columns. Readers keep the current
 * build.
 */
export class ModelFailedError extends TidemarkError {
  readonly failedAudits: string[];

  constructor(message: string, todo: string, options: { failedAudits?: string[]; cause?: unknown } = {}) {
    super('ModelFailed', message, { todo, cause: options.cause });
    this.failedAudits = options.failedAudits ?? [];
  }
}

/** There is no published warehouse yet, or it cannot be opened. */
export class NotPublishedError extends TidemarkError {
  constructor(file: string, cause?: unknown) {
    const known = asDiskError(cause, file);
    super(
      known instanceof DamagedFileError ? known.type : 'Internal',
      cause === undefined
        ? `There is no published warehouse at ${file}.`
        : `${file} ${known instanceof DamagedFileError ? 'is damaged and ' : ''}cannot be opened: ${errorMessage(cause)}`,
      { todo: howToRead(cause, known), cause },
    );
  }
}

function howToRead(cause: unknown, known: unknown): string {
  if (cause === undefined) return 'Run `tidemark snapshot` (or `npm run demo`) first.';
  if (known instanceof DamagedFileError) return known.todo;
  if (isLocked(cause)) return 'Close the program that has the file open for writing, or open it read-only there.';
  if (/permission denied/i.test(errorMessage(cause)))
    return 'The setting `readers` in tidemark.yaml decides who on this machine may read published files. A change takes effect at the next publication.';
  if (known instanceof TidemarkError) return known.todo;
  return 'Run `tidemark snapshot` again: it publishes a new build and fetches only records that are due.';
}

const NO_MEMORY = /^Out of Memory Error:/im;

/**
 * If the cause is the disk, a damaged file, the memory limit or a locked file, returns an error that says what to do.
 * Returns any other error unchanged.
 * @param file the open database. A message about a damaged block names no file, and means this one
 */
export function asWarehouseError(error: unknown, file: string): unknown {
  if (error instanceof TidemarkError) return error;
  const known = asDiskError(error, file);
  if (known !== error) return known;
  if (NO_MEMORY.test(errorMessage(error))) return new OutOfMemoryError(file, error);
  return isLocked(error) ? new WarehouseBusyError(file, error) : error;
}

function isLocked(error: unknown): boolean {
  return /could not set lock on file|conflicting lock|being used by another process/i.test(errorMessage(error));
}
