import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { unprovenFile } from '../../store/data-folder.js';
import { writeFileAtomic } from '../../store/files.js';
import { workingCopyOf } from '../../store/working-copy/open.js';

const Texts = z
  .array(z.string())
  .default([])
  .transform((texts) => new Set(texts));

const Content = z.object({
  /** Values of everything that was removed. */
  values: Texts,
  /** Values of forgotten people. An event about people loses its content if the event holds one of these values. */
  named: Texts,
  /** Companies of forgotten people. */
  companies: Texts,
  /** Phone numbers among `named`, as far as the names of fields show them. */
  phones: Texts,
  /** Removed values that are too short to search for. */
  short: Texts,
});

/**
 * Values that a removal has removed, but has not yet proven to be gone. They are on disk while the removal runs, so
 * that it can continue after a crash. When the removal has ended, no file holds these values.
 */
export type Unproven = z.output<typeof Content>;

/** Reads the file `secrets/forget-unproven.json` of a data folder, if there is one. Another machine may have written it. */
export async function readUnproven(dataDir: string): Promise<Unproven> {
  const file = unprovenFile(dataDir);
  await workingCopyOf(dataDir)?.refresh(file);
  return Content.parse(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
}

/** Writes the file, and gives it to the bucket. Writes nothing without a removed value. */
export async function saveUnproven(dataDir: string, unproven: Unproven): Promise<void> {
  if (unproven.values.size === 0) return;
  const sets = Object.entries(unproven).map(([name, set]) => [name, [...set]]);
  await writeFileAtomic(unprovenFile(dataDir), JSON.stringify(Object.fromEntries(sets)));
  await workingCopyOf(dataDir)?.give(unprovenFile(dataDir));
}

/** Removes the file when the removal is proven. */
export async function removeUnproven(dataDir: string): Promise<void> {
  const [file, copy] = [unprovenFile(dataDir), workingCopyOf(dataDir)];
  await (copy === undefined ? rm(file, { force: true }) : copy.remove(file));
}
