import { makeDataFolder } from '../../store/file-modes.js';
import { inParallel } from '../../base/in-parallel.js';
import { invalidInput, TidemarkError } from '../../base/errors.js';
import { copyBuild, showBuild } from './builds.js';
import { hold, refuseUnfinishedForget, settleWarehouse, type Right } from './hold.js';
import { currentBuildOf, listStoredBuild, takeInventory } from './inventory.js';
import { unfinishedRuns, type Item } from './kinds.js';
import {
  markComplete,
  markUnfinished,
  noData,
  readIdentity,
  readUnfinished,
  refuseWorkingCopy,
  type Place,
} from './place.js';
import { sync, type Outcome, type Route } from './send.js';

/** A file that differs. `extra`: only the target has it. See `Outcome` for the other cases. */
export interface Difference {
  path: string;
  why: 'missing' | 'extra' | 'different';
}

/** Result of a copy or of a comparison. Paths are those of a data folder. */
export interface CopyResult {
  from: string;
  to: string;
  /** Identity of the data. */
  id: string;
  /** Files and bytes that were sent and then read and equal, without the build. */
  sent: { files: number; bytes: number };
  /** Number of files that the target had already, without the build. */
  same: number;
  /** Files whose content at the target was replaced. */
  replaced: string[];
  /** The current build, if there is one. */
  build: string | null;
  /** Files and bytes of the target that were read and equal the source; all differences. */
  verified: { files: number; bytes: number; differences: Difference[] };
}

/** Options of `copyData`. */
export interface CopyOptions {
  /** Whether to copy although runs in the landing zone have no end. */
  abandonRuns?: boolean | undefined;
  onWait?: ((holder: string) => void) | undefined;
  /** Called at the begin, with the number of files. */
  onStep?: ((step: 'send' | 'verify', files: number) => void) | undefined;
}

/** Number of files that are read or sent at the same time. */
const AT_ONCE = 8;
// Manifests come after all parts. So an interrupted copy never shows a part whose file is missing.
const ORDER: readonly (readonly Item['kind'][])[] = [
  ['part', 'state', 'secret', 'spool'],
  ['manifest'],
  ['warehouse'],
  ['lake'],
  ['database'],
  ['identity'],
];

/**
 * Copies the data of one place to another: sends each file that is missing or different, and reads it there. Then makes
 * the current build of the source current. Removes nothing, except the replaced checkpoint of the warehouse in a bucket.
 * After an interruption, the next call continues.
 * @throws TidemarkError `InvalidInput` if the places do not fit; `WarehouseBusy` if a process writes a warehouse
 */
export async function copyData(from: Place, to: Place, options: CopyOptions = {}): Promise<CopyResult> {
  const id = await checkPlaces(from, to);
  refuseUnfinishedForget(from);
  const rights: Right[] = [];
  try {
    if (to.dataDir !== undefined) makeDataFolder(to.dataDir);
    await settleWarehouse(from);
    for (const place of [from, to]) rights.push(await hold(place, options.onWait));
    const [source, target] = [await takeInventory(from), await takeInventory(to)];
    if (!options.abandonRuns) refuseUnfinishedRuns(source.keys());
    refuseNewer(source, target, to);
    await markUnfinished(to, id, from.storage.name);
    options.onStep?.('send', source.size);
    const result = await syncAll({ from, to, rights }, { id, source, target });
    if (result.verified.differences.length === 0) await markComplete(to);
    return result;
  } finally {
    for (const right of rights.toReversed()) await right.release();
  }
}

/** Compares two places as `copyData` does. Changes nothing. */
export async function checkCopy(from: Place, to: Place, { onStep }: CopyOptions = {}): Promise<CopyResult> {
  const id = await checkPlaces(from, to);
  const [source, target] = [await takeInventory(from), await takeInventory(to)];
  onStep?.('verify', source.size);
  const result = await syncAll({ from, to, rights: [] }, { id, source, target });
  if ((await readUnfinished(to)) !== undefined)
    result.verified.differences.push({ path: 'copy-unfinished.json', why: 'extra' });
  return { ...result, same: 0 };
}

async function syncAll(
  route: Route,
  { id, source, target }: { id: string; source: Map<string, Item>; target: Map<string, Item> },
): Promise<CopyResult> {
  const { from, to, rights } = route;
  const differences: Difference[] = [...target.values()]
    .filter(({ path, kind }) => !source.has(path) && !isOfBuild(kind))
    .map(({ path }) => ({ path, why: 'extra' }));
  const result: CopyResult = {
    from: from.storage.name,
    to: to.storage.name,
    id,
    sent: { files: 0, bytes: 0 },
    same: 0,
    replaced: [],
    build: (await currentBuildOf(from)) ?? null,
    verified: { files: 0, bytes: 0, differences },
  };
  for (const kinds of ORDER) {
    if (kinds.includes('lake') && rights.length > 0) {
      await copyBuild(from, to);
      for (const item of await listStoredBuild(to)) target.set(item.path, item);
    }
    const items = [...source.values()].filter(({ kind }) => kinds.includes(kind));
    await inParallel(items, AT_ONCE, async (item) => {
      const outcome = await sync(route, item, target.get(item.path));
      if (outcome === 'missing' || outcome === 'different') differences.push({ path: item.path, why: outcome });
      else count(result, item, outcome);
    });
    if (kinds.includes('database') && rights.length > 0) await showBuild(from, to);
    for (const right of rights) await right.assertHeld();
  }
  result.replaced.sort();
  differences.sort((a, b) => (a.path < b.path ? -1 : 1));
  return result;
}

/** Counts a file that the target has now. */
function count(result: CopyResult, { path, bytes, kind }: Item, outcome: Outcome): void {
  result.verified.files++;
  result.verified.bytes += bytes;
  if (isOfBuild(kind)) return;
  if (outcome === 'same') return void result.same++;
  if (outcome === 'replaced') result.replaced.push(path);
  result.sent.files++;
  result.sent.bytes += bytes;
}

function isOfBuild(kind: Item['kind']): boolean {
  return kind === 'lake' || kind === 'database';
}

/** @returns the identity of the data */
async function checkPlaces(from: Place, to: Place): Promise<string> {
  for (const place of [from, to]) refuseWorkingCopy(place);
  if (from.storage.name === to.storage.name) throw invalidInput('Both places are the same.', 'Name two places.');
  if (from.dataDir === undefined && to.dataDir === undefined)
    throw invalidInput('Both places are buckets.', 'Copy to a folder first, and from there to the other bucket.');
  if ((await readUnfinished(from)) !== undefined)
    throw invalidInput(`An earlier copy to ${from.storage.name} is not complete.`, 'Complete that copy first.');
  const id = await readIdentity(from);
  if (id === undefined) throw noData(from);
  await checkTarget(to, id);
  return id;
}

async function checkTarget(to: Place, id: string): Promise<void> {
  const theirs = (await readIdentity(to)) ?? (await readUnfinished(to));
  if (theirs === id) return;
  if (theirs !== undefined)
    throw invalidInput(`${to.storage.name} holds other data (id ${theirs.slice(0, 8)}).`, 'Name an empty place.');
  const items = await takeInventory(to);
  const [first] = items.keys();
  if (first !== undefined)
    throw invalidInput(`${to.storage.name} holds files of unknown origin, such as ${first}.`, 'Name an empty place.');
}

function refuseUnfinishedRuns(keys: Iterable<string>): void {
  const runs = unfinishedRuns(keys);
  if (runs.length === 0) return;
  const [first = ''] = runs;
  const all = runs.length === 1 ? `The run ${first} has` : `${runs.length} runs, such as ${first}, have`;
  throw new TidemarkError('InvalidInput', `${all} a begin but no end.`, {
    todo: 'Wait until `tidemark status` shows no open run. If Temporal knows these runs no more, add --abandon-runs: the next night fetches what they lack.',
  });
}

/** Refuses a target with landed parts that the source lacks: a copy would make its state older. */
function refuseNewer(source: ReadonlyMap<string, Item>, target: ReadonlyMap<string, Item>, to: Place): void {
  const extra = [...target.values()].filter(({ path, kind }) => kind === 'manifest' && !source.has(path));
  const [first] = extra;
  if (first === undefined) return;
  throw invalidInput(
    `${to.storage.name} has ${extra.length} landed parts that the source lacks, such as ${first.path}.`,
    'The target is newer, or the source was compacted since the last copy. Name an empty place.',
  );
}
