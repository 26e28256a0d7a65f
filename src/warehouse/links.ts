import { readdirSync, rmSync } from 'node:fs';
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

/** Removes all but the newest builds; names begin with their time. Readers that hold a removed file open keep it. */
export function removeOldBuilds(builds: string, keep: number, current: string): void {
  const names = new Set(
    readdirSync(builds).flatMap((entry) => /^(?:market|lake)-(.*?)(?:\.duckdb(?:\.wal)?)?$/.exec(entry)?.[1] ?? []),
  );
  names.delete(current);
  for (const name of [...names]
    .toSorted()
    .toReversed()
    .slice(Math.max(keep - 1, 0))) {
    for (const entry of [`market-${name}.duckdb`, `market-${name}.duckdb.wal`, `lake-${name}`])
      rmSync(path.join(builds, entry), { recursive: true, force: true });
  }
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
