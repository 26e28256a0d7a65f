import { readdirSync, rmSync, statSync } from 'node:fs';
import { open, rename, symlink, unlink } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../core/files.js';

/**
 * Points a symlink at another target in one step: whoever opens it sees the old target or the new one. Renaming a file
 * over the old one instead would let a write-ahead log left beside it poison the new file.
 */
export async function flipLink(link: string, target: string): Promise<void> {
  const temporary = `${link}.${process.pid}.new`;
  await unlink(temporary).catch(() => undefined);
  await symlink(target, temporary);
  await rename(temporary, link);
  await syncFolder(path.dirname(link));
}

/**
 * Removes all but the newest builds; names begin with their time. Readers that hold a removed file open keep it. One
 * that was replaced less than `graceSeconds` ago stays: a reader may have followed the link and not opened it yet.
 */
export function removeOldBuilds(builds: string, keep: number, current: string, graceSeconds: number): void {
  const found = readdirSync(builds).flatMap(
    (entry) => /^(?:market|lake)-(.*?)(?:\.duckdb(?:\.wal)?)?$/.exec(entry)?.[1] ?? [],
  );
  const older = [...new Set(found)]
    .filter((name) => name !== current)
    .toSorted()
    .toReversed();
  const newestFirst = [current, ...older];
  for (const [index, name] of newestFirst.entries()) {
    if (index < Math.max(keep, 1) || madeWithin(builds, newestFirst[index - 1] ?? '', graceSeconds)) continue;
    for (const entry of [`market-${name}.duckdb`, `market-${name}.duckdb.wal`, `lake-${name}`])
      rmSync(path.join(builds, entry), { recursive: true, force: true });
  }
}

function madeWithin(builds: string, name: string, seconds: number): boolean {
  const made = statSync(path.join(builds, `market-${name}.duckdb`), { throwIfNoEntry: false });
  return made !== undefined && Date.now() - made.mtimeMs < seconds * 1_000;
}

/** Makes a file's content durable. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
