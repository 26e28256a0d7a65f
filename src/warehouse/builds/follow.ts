import { errorMessage } from '../../base/errors.js';
import type { Storage } from '../../store/storage.js';
import { fetchCurrent, type Fetched } from './take-build.js';

/** Options of `follow`. */
export interface FollowOptions {
  /** Folder for downloads of all storages. */
  cache: string;
  /** Milliseconds between two checks, at least. */
  everyMs: number;
  /** Called with the size in bytes before a download. */
  onDownload: (bytes: number) => void;
  /** Called when a check fails, unless the check before failed for the same reason. */
  onFault: (reason: string) => void;
}

/**
 * Downloads the current version, and returns a function that returns the newest downloaded one. A call begins a check
 * for a newer version, if the last check is old enough. It does not wait for the check, so a later call returns the newer
 * version. A failed check changes nothing.
 * @throws StorageError `missing` when no build was copied there
 */
export async function follow(storage: Storage, options: FollowOptions): Promise<() => Fetched> {
  const { cache, everyMs, onDownload, onFault } = options;
  let newest = await fetchCurrent(storage, cache, onDownload);
  let checkedAt = performance.now();
  let isChecking = false;
  let fault: string | undefined;
  const check = async (): Promise<void> => {
    isChecking = true;
    try {
      newest = await fetchCurrent(storage, cache, onDownload);
      fault = undefined;
    } catch (error) {
      const reason = errorMessage(error);
      if (reason !== fault) onFault(reason);
      fault = reason;
    } finally {
      isChecking = false;
      checkedAt = performance.now();
    }
  };
  return () => {
    if (!isChecking && performance.now() - checkedAt >= everyMs) void check();
    return newest;
  };
}
