import { inParallel } from '../../base/in-parallel.js';
import { contentOf } from './content.js';
import { takeInventory, type Item } from './inventory.js';
import type { Place } from './place.js';
import type { Sent } from './send.js';

/** Number of files that are read or sent at the same time. */
export const AT_ONCE = 8;

/**
 * A file that differs:
 * - `missing`: only the source has it
 * - `extra`: only the target has it
 * - `different`: the contents differ
 * - `damaged`: the target has another content than its own manifest says
 */
export interface Difference {
  path: string;
  why: 'missing' | 'extra' | 'different' | 'damaged';
}

/** Result of a comparison. */
export interface Compared {
  /** Files and bytes of the target that were read and are equal. */
  files: number;
  bytes: number;
  differences: Difference[];
}

/**
 * Reads all files of both places and compares them, without the published builds.
 * @param known what is known of both sides from sending; such a file is read only where its content is not known
 */
export async function compareFiles(
  from: Place,
  to: Place,
  known: ReadonlyMap<string, Sent> = new Map(),
  onFile: () => void = () => undefined,
): Promise<Compared> {
  const [source, target] = [await takeInventory(from), await takeInventory(to)];
  const compared: Compared = { files: 0, bytes: 0, differences: [] };
  await inParallel(source.values(), AT_ONCE, async (item) => {
    const there = target.get(item.path);
    if (there === undefined) {
      if (await isEmptySpool(from, item)) return;
      compared.differences.push({ path: item.path, why: 'missing' });
      return;
    }
    const sent = known.get(item.path);
    const wanted = sent?.source ?? (await contentOf(from.storage, item));
    const found = sent?.target ?? (await contentOf(to.storage, there));
    if (wanted.sha256 !== found.sha256) compared.differences.push({ path: item.path, why: 'different' });
    else {
      compared.files++;
      compared.bytes += found.bytes;
    }
    onFile();
  });
  for (const [path, item] of target)
    if (!source.has(path) && !(await isEmptySpool(to, item))) compared.differences.push({ path, why: 'extra' });
  compared.differences.sort((a, b) => (a.path < b.path ? -1 : 1));
  return compared;
}

/** Whether a spool holds no complete line. Such a spool is not copied. */
async function isEmptySpool({ storage }: Place, item: Item): Promise<boolean> {
  return item.kind === 'spool' && (await contentOf(storage, item)).bytes === 0;
}
