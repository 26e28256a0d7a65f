import { existsSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { DAY_MS } from '../../base/time/time.js';
import { warehouseFile } from '../../store/data-folder.js';
import { removeLeftovers } from '../../store/database-files.js';
import { writeFileAtomic } from '../../store/files.js';
import { isFileFault, isLostRace } from '../../store/errors.js';
import { LeaseLostError, type Lease } from '../../store/lease.js';
import type { Storage } from '../../store/storage.js';
import type { WorkingCopy } from '../../store/working-copy/working-copy.js';

/*
 * Checkpoints of the warehouse in the bucket. The landing zone holds all answers, so a checkpoint only saves the time of
 * a replay: another machine takes the newest one and loads the parts that were landed after it.
 *
 *     warehouse/current.json            names the newest checkpoint, and the fencing token of its writer
 *     warehouse/<token>-<time>.duckdb   the file; it never changes
 */

/** Key of the lease of the only writer of the warehouse. */
export const WRITER_LEASE = 'warehouse/writer.json';
const FOLDER = 'warehouse/';
const POINTER = `${FOLDER}current.json`;
const MOST_LOOKS = 5;

const Pointer = z.object({
  token: z.int(),
  key: z.string(),
  bytes: z.int().nonnegative(),
  sha256: z.string(),
  at: z.string(),
});
type Pointer = z.infer<typeof Pointer>;

/** The pointer with its version. Without `pointer` if the file is damaged. */
interface FoundPointer {
  pointer: Pointer | undefined;
  version: string;
}

/**
 * Gives the closed warehouse file as the newest checkpoint. Removes the one before.
 * @throws LeaseLostError when another process writes the warehouse now; the checkpoint is then not valid
 */
export async function giveCheckpoint(copy: WorkingCopy, lease: Lease): Promise<void> {
  const file = warehouseFile(copy.dataDir);
  if (!existsSync(file)) return;
  const pointer = await writeCheckpoint(copy.storage, file, lease);
  await writeFileAtomic(markFile(copy.dataDir), encode(pointer));
}

/** As `giveCheckpoint`, for a file that belongs to no working copy. */
export async function writeCheckpoint(storage: Storage, file: string, lease: Lease): Promise<Pointer> {
  const key = `${FOLDER}${String(lease.token).padStart(6, '0')}-${Date.now()}.duckdb`;
  refuseLater(storage, await findPointer(storage), lease);
  const content = await storage.upload(key, file);
  const pointer: Pointer = { token: lease.token, key, ...content, at: new Date().toISOString() };
  const before = await replacePointer(storage, pointer, lease);
  if (before?.pointer !== undefined) await storage.remove(before.pointer.key);
  else if (before !== undefined) await removeOldCheckpoints(storage);
  return pointer;
}

/** Points at a new checkpoint. A look may show an earlier pointer; then looks again. Returns the replaced pointer. */
async function replacePointer(storage: Storage, pointer: Pointer, lease: Lease): Promise<FoundPointer | undefined> {
  for (let attempt = 1; ; attempt++) {
    const before = await findPointer(storage);
    refuseLater(storage, before, lease);
    await lease.assertHeld();
    try {
      if (before === undefined) await storage.create(POINTER, encode(pointer));
      else await storage.replace(POINTER, encode(pointer), before.version);
      return before;
    } catch (error) {
      if (!isLostRace(error) || attempt === MOST_LOOKS) throw error;
    }
  }
}

/** @throws LeaseLostError when a later holder of the lease has written the pointer */
function refuseLater(storage: Storage, found: FoundPointer | undefined, lease: Lease): void {
  if (found?.pointer !== undefined && found.pointer.token > lease.token)
    throw new LeaseLostError(storage, WRITER_LEASE);
}

/** Finds the highest token of a holder of the lease, in the pointer and in the names of the checkpoints; 0 without any. */
export async function highestToken(storage: Storage): Promise<number> {
  let highest = (await findPointer(storage))?.pointer?.token ?? 0;
  for await (const { key } of storage.list(FOLDER)) {
    const token = /^\d+(?=-\d+\.duckdb$)/.exec(key.slice(FOLDER.length));
    if (token !== null) highest = Math.max(highest, Number(token[0]));
  }
  return highest;
}

/** Removes files in the folder of the checkpoints that killed processes left. Call it only as the writer. */
export async function removeOldCheckpoints(storage: Storage): Promise<void> {
  const newest = (await findPointer(storage))?.pointer?.key;
  const keys: string[] = [];
  for await (const { key } of storage.list(FOLDER)) if (key.endsWith('.duckdb') && key !== newest) keys.push(key);
  for (const key of keys) await storage.remove(key);
}

/** Returns the newest checkpoint. Undefined if there is none, or if its pointer is damaged. */
export async function readCheckpoint(storage: Storage): Promise<Pointer | undefined> {
  return (await findPointer(storage))?.pointer;
}

// A new writer loads the parts that were landed since, so it waits for a week of nights at most.
const CHECKPOINT_EVERY_MS = 7 * DAY_MS;

/** Whether the newest checkpoint is missing or a week old. */
export async function isCheckpointDue(storage: Storage, now: number): Promise<boolean> {
  const pointer = await readCheckpoint(storage);
  if (pointer === undefined) return true;
  const age = now - Date.parse(pointer.at);
  // The age is negative if the clock was set back.
  return !(age >= 0 && age < CHECKPOINT_EVERY_MS);
}

/**
 * Takes the newest checkpoint, unless the warehouse file of this machine was made from it. A checkpoint may be missing or
 * damaged, or the pointer to it. Then removes the warehouse file of this machine, because it may hold what another machine
 * has removed since. The next load reads all landed parts. Call this function only while this process holds the writer's
 * lease, and no process has the file open.
 * @param onLost called with a sentence if the checkpoint is missing or damaged
 */
export async function takeCheckpoint(copy: WorkingCopy, onLost: (message: string) => void): Promise<void> {
  const { storage, dataDir } = copy;
  const file = warehouseFile(dataDir);
  const mark = markFile(dataDir);
  const madeFrom = existsSync(file) && existsSync(mark) ? decodeMark(readFileSync(mark)) : undefined;
  const found = await findPointer(storage);
  // This machine made its file before the first checkpoint.
  if (found === undefined && madeFrom === undefined) return;
  const { pointer } = found ?? {};
  // The mark names the state of the bucket from which the file was made. So this machine keeps what it loads after a loss.
  const wanted = pointer?.key ?? (found === undefined ? 'no checkpoint' : `damaged ${found.version}`);
  if (madeFrom === wanted) return;
  rmSync(mark, { force: true });
  removeLeftovers(file);
  const fault =
    pointer === undefined
      ? `${storage.name}: ${POINTER} ${found === undefined ? 'is missing' : 'is damaged'}.`
      : await download(copy, pointer, file);
  if (fault !== undefined) {
    rmSync(file, { force: true });
    onLost(`${fault} This checkpoint of the warehouse is lost. The next load reads all landed parts again.`);
  }
  await writeFileAtomic(mark, `${JSON.stringify({ key: wanted } satisfies Mark)}\n`);
}

/** Downloads a checkpoint. Returns a sentence if the checkpoint is missing or damaged. */
async function download(copy: WorkingCopy, { key, bytes, sha256 }: Pointer, file: string): Promise<string | undefined> {
  try {
    await copy.storage.download(key, file, { bytes, sha256 });
    return undefined;
  } catch (error) {
    if (!isFileFault(error)) throw error;
    return error.message;
  }
}

/** File that names the checkpoint from which the warehouse file of a machine was made. */
function markFile(dataDir: string): string {
  return `${warehouseFile(dataDir)}.checkpoint.json`;
}

const Mark = z.object({ key: z.string() });
type Mark = z.infer<typeof Mark>;

function decodeMark(body: Buffer): string | undefined {
  return parseAs(Mark, body)?.key;
}

/** Reads the pointer to the newest checkpoint. */
async function findPointer(storage: Storage): Promise<FoundPointer | undefined> {
  const found = await storage.read(POINTER);
  return found === undefined ? undefined : { pointer: parseAs(Pointer, found.body), version: found.version };
}

function encode(pointer: Pointer): Buffer {
  return Buffer.from(`${JSON.stringify(pointer)}\n`);
}

function parseAs<T>(schema: z.ZodType<T>, body: Buffer): T | undefined {
  try {
    return schema.parse(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}
