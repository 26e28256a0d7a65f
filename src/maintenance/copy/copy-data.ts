import { makeDataFolder } from '../../store/file-modes.js';
import { inParallel } from '../../base/in-parallel.js';
import { invalidInput, TidemarkError } from '../../base/errors.js';
import { copyBuild, compareBuilds, currentBuildOf } from './builds.js';
import { AT_ONCE, compareFiles, type Compared } from './compare.js';
import { hold, refuseUnfinishedForget, settleWarehouse, type Hold } from './hold.js';
import { takeInventory, type Item } from './inventory.js';
import { unfinishedRuns } from './kinds.js';
import {
  markComplete,
  markUnfinished,
  noData,
  readIdentity,
  readUnfinished,
  refuseWorkingCopy,
  type Place,
} from './place.js';
import { send, type Route, type Sent } from './send.js';

/** Result of a copy or of a comparison. Paths are those of a data folder. */
export interface CopyResult {
  from: string;
  to: string;
  /** Identity of the data. */
  id: string;
  /** Files and bytes that were sent. */
  sent: { files: number; bytes: number };
  /** Number of files that the target had already. */
  same: number;
  /** Files whose content at the target was replaced. */
  replaced: string[];
  /** The current build, if there is one. */
  build: string | null;
  /** Files and bytes of the target that were read at the end and equal the source; all differences. */
  verified: Compared;
}

/** Options of `copyData`. */
export interface CopyOptions {
  /** Whether to copy although runs in the landing zone have no end. */
  abandonRuns?: boolean | undefined;
  onWait?: ((holder: string) => void) | undefined;
  /** Called at the begin of each step, with its number of files. */
  onStep?: ((step: 'send' | 'verify', files: number) => void) | undefined;
}

// Manifests come after all parts. So an interrupted copy never shows a part whose file is missing.
const ORDER: readonly (readonly Item['kind'][])[] = [
  ['part', 'state', 'secret', 'spool'],
  ['manifest'],
  ['warehouse'],
  ['identity'],
];

/**
 * Copies the data of one place to another, and compares both. Removes nothing, except the replaced checkpoint of the
 * warehouse in a bucket. After an interruption, the next call continues.
 * @throws TidemarkError `InvalidInput` if the places do not fit; `WarehouseBusy` if a process writes a warehouse
 */
export async function copyData(from: Place, to: Place, options: CopyOptions = {}): Promise<CopyResult> {
  const { onWait = () => undefined, onStep = () => undefined } = options;
  const id = await checkPlaces(from, to);
  refuseUnfinishedForget(from);
  const holds: Hold[] = [];
  try {
    if (to.dataDir !== undefined) makeDataFolder(to.dataDir);
    await settleWarehouse(from);
    for (const place of [from, to]) holds.push(await hold(place, onWait));
    const assertHeld = async (): Promise<void> => {
      for (const held of holds) await held.assertHeld();
    };
    const [source, target] = [await takeInventory(from), await takeInventory(to)];
    if (!options.abandonRuns) refuseUnfinishedRuns(source.keys());
    refuseNewer(source, target, to);
    await markUnfinished(to, id, from.storage.name);
    onStep('send', source.size);
    const known = new Map<string, Sent>();
    const route: Route = { from, to, lease: holds[1]?.lease };
    for (const kinds of ORDER) {
      const items = [...source.values()].filter(({ kind }) => kinds.includes(kind));
      await inParallel(items, AT_ONCE, async (item) => {
        known.set(item.path, await send(route, item, target.get(item.path)));
      });
      await assertHeld();
      if (kinds.includes('warehouse')) await copyBuild(from, to);
    }
    onStep('verify', source.size);
    const verified = await compare(from, to, known);
    await assertHeld();
    if (verified.differences.length === 0) await markComplete(to);
    return { ...(await describe(from, to, id)), ...countSent(source, known), verified };
  } finally {
    for (const held of holds.toReversed()) await held.release();
  }
}

/** Compares two places as `copyData` does at its end. Changes nothing. */
export async function checkCopy(from: Place, to: Place, options: CopyOptions = {}): Promise<CopyResult> {
  const id = await checkPlaces(from, to);
  options.onStep?.('verify', (await takeInventory(from)).size);
  const verified = await compare(from, to);
  if ((await readUnfinished(to)) !== undefined)
    verified.differences.push({ path: 'copy-unfinished.json', why: 'extra' });
  return { ...(await describe(from, to, id)), sent: { files: 0, bytes: 0 }, same: 0, replaced: [], verified };
}

async function compare(from: Place, to: Place, known?: ReadonlyMap<string, Sent>): Promise<Compared> {
  const [files, builds] = [await compareFiles(from, to, known), await compareBuilds(from, to)];
  return {
    files: files.files + builds.files,
    bytes: files.bytes + builds.bytes,
    differences: [...files.differences, ...builds.differences],
  };
}

async function describe(from: Place, to: Place, id: string): Promise<Pick<CopyResult, 'from' | 'to' | 'id' | 'build'>> {
  return { from: from.storage.name, to: to.storage.name, id, build: (await currentBuildOf(from)) ?? null };
}

function countSent(
  source: ReadonlyMap<string, Item>,
  known: ReadonlyMap<string, Sent>,
): Pick<CopyResult, 'sent' | 'same' | 'replaced'> {
  const of = (...outcomes: Sent['outcome'][]): string[] =>
    [...known].flatMap(([path, { outcome }]) => (outcomes.includes(outcome) ? [path] : [])).toSorted();
  const sent = of('sent', 'replaced');
  const bytes = sent.reduce((sum, path) => sum + (source.get(path)?.bytes ?? 0), 0);
  return { sent: { files: sent.length, bytes }, same: of('same').length, replaced: of('replaced') };
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
