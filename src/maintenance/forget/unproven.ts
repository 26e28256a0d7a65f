import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { unprovenFile } from '../../store/data-folder.js';
import { writeFileAtomic } from '../../store/files.js';
import type { Data } from '../../store/data.js';

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
export async function readUnproven(data: Data): Promise<Unproven> {
  const file = unprovenFile(data.dataDir);
  return Content.parse((await data.refresh(file)) ? JSON.parse(readFileSync(file, 'utf8')) : {});
}

/** Writes the file, and gives it to the bucket. Writes nothing without a removed value. */
export async function saveUnproven(data: Data, unproven: Unproven): Promise<void> {
  if (unproven.values.size === 0) return;
  const file = unprovenFile(data.dataDir);
  const sets = Object.entries(unproven).map(([name, set]) => [name, [...set]]);
  await writeFileAtomic(file, JSON.stringify(Object.fromEntries(sets)));
  await data.give(file);
}

/** Removes the file when the removal is proven. */
export async function removeUnproven(data: Data): Promise<void> {
  await data.remove(unprovenFile(data.dataDir));
}
