import type { Lease } from '../../store/lease.js';
import type { StoredFiles } from './stored-files.js';
import type { Storage } from '../../store/storage.js';
import { readManifest, VERSIONS, type Current } from './manifest.js';

/** Number of removed files after which the lease is checked again. */
const CHECK_EVERY = 50;

/**
 * Removes the files that no kept version names: those of old versions and of copies that failed. The caller holds the
 * lease. A holder that lost it removes no file that a newer version needs: keys are never used again, and a version
 * takes files only from the version before it.
 * @param there knows the manifests that this copy has read
 * @returns the number of removed files
 */
export async function prune(
  storage: Storage,
  current: Current,
  lease: Lease,
  there: Pick<StoredFiles, 'manifestOf'>,
): Promise<number> {
  const kept = new Set<string>();
  for (const version of [current, ...current.earlier]) {
    const { database, tables } = (await there.manifestOf(version)) ?? (await readManifest(storage, version));
    for (const { key } of [version.manifest, database, ...Object.values(tables).flatMap(({ files }) => files)])
      kept.add(key);
  }
  const removed: string[] = [];
  for await (const { key } of storage.list(VERSIONS)) if (!kept.has(key)) removed.push(key);
  for (const [i, key] of removed.entries()) {
    if (i % CHECK_EVERY === 0) await lease.assertHeld();
    await storage.remove(key);
  }
  return removed.length;
}
