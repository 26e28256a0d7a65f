import { existsSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { DAY_MS } from '../../base/time/time.js';
import { warehouseFile } from '../../store/data-folder.js';
import type { SharedData } from '../../store/data.js';
import { removeLeftovers } from '../../store/database-files.js';
import { tryReadJson, writeFileAtomic } from '../../store/files.js';
import { isFileFault } from '../../store/errors.js';
import type { Lease } from '../../store/lease.js';
import { pruneVersions, publishVersion } from '../../store/publish-version.js';
import type { Storage } from '../../store/storage.js';
import { Versions, type Pointer } from '../../store/versions.js';

/*
 * Checkpoints of the warehouse in the bucket. The landing zone holds all answers, so a checkpoint only saves the time of
 * a replay: another machine takes the newest one and loads the parts that were landed after it.
 *
 *     warehouse/current.json            names the newest checkpoint, and the fencing token of its writer
 *     warehouse/<time>.<token>/         the file and its manifest; they never change
 */

/** Key of the lease of the only writer of the warehouse. */
export const WRITER_LEASE = 'warehouse/writer.json';
const POINTER = 'warehouse/current.json';

/** Opens the checkpoints of a bucket. Sends no request. */
export function checkpointsIn(storage: Storage): Versions {
  return new Versions(storage, { pointer: POINTER, lease: WRITER_LEASE, folder: 'warehouse/' });
}

/**
 * Gives the closed warehouse file as the newest checkpoint. Removes the one before.
 * @throws LeaseLostError when another process writes the warehouse now; the checkpoint is then not valid
 */
export async function giveCheckpoint(copy: SharedData, lease: Lease): Promise<void> {
  const file = warehouseFile(copy.dataDir);
  if (!existsSync(file)) return;
  const { version } = await writeCheckpoint(copy.storage, file, lease);
  await writeMark(copy.dataDir, version);
}

/** As `giveCheckpoint`, for a file that belongs to no working copy. */
export async function writeCheckpoint(storage: Storage, file: string, lease: Lease): Promise<Pointer> {
  const checkpoints = checkpointsIn(storage);
  const { current } = await publishVersion(checkpoints, lease, {
    build: new Date().toISOString().replaceAll(/[-:.]/g, ''),
    publication: (before) => 1 + (before?.publication ?? 0),
    local: () => ({ database: file, lake: '', tables: {} }),
    keepSeconds: 0,
  });
  await pruneVersions(checkpoints, current, lease);
  return current;
}

/** Removes files in the folder of the checkpoints that killed processes left. Call it only as the writer. */
export async function removeOldCheckpoints(storage: Storage): Promise<void> {
  const checkpoints = checkpointsIn(storage);
  await pruneVersions(checkpoints, (await checkpoints.find())?.current);
}

// A new writer loads the parts that were landed since, so it waits for a week of nights at most.
const CHECKPOINT_EVERY_MS = 7 * DAY_MS;

/** Whether the newest checkpoint is missing or a week old. */
export async function isCheckpointDue(storage: Storage, now: number): Promise<boolean> {
  const current = (await checkpointsIn(storage).find())?.current;
  if (current === undefined) return true;
  const age = now - Date.parse(current.published_at);
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
export async function takeCheckpoint(copy: SharedData, onLost: (message: string) => void): Promise<void> {
  const { storage, dataDir } = copy;
  const file = warehouseFile(dataDir);
  const madeFrom = existsSync(file) ? readMark(dataDir) : undefined;
  const checkpoints = checkpointsIn(storage);
  const found = await checkpoints.find();
  // This machine made its file before the first checkpoint.
  if (found === undefined && madeFrom === undefined) return;
  const current = found?.current;
  // The mark names the state of the bucket from which the file was made. So this machine keeps what it loads after a loss.
  const wanted = current?.version ?? (found === undefined ? 'no checkpoint' : `damaged ${found.version}`);
  if (madeFrom === wanted) return;
  rmSync(markFile(dataDir), { force: true });
  removeLeftovers(file);
  try {
    const database = current && (await checkpoints.manifestOf(current)).database;
    if (database !== undefined) await storage.download(database.key, file, database);
    else lose(`${storage.name}: ${POINTER} ${found === undefined ? 'is missing' : 'is damaged'}.`);
  } catch (error) {
    if (!isFileFault(error)) throw error;
    lose(error.message);
  }
  await writeMark(dataDir, wanted);

  function lose(fault: string): void {
    rmSync(file, { force: true });
    onLost(`${fault} This checkpoint of the warehouse is lost. The next load reads all landed parts again.`);
  }
}

/** File that names the checkpoint from which the warehouse file of a machine was made. */
function markFile(dataDir: string): string {
  return `${warehouseFile(dataDir)}.checkpoint.json`;
}

async function writeMark(dataDir: string, version: string): Promise<void> {
  await writeFileAtomic(markFile(dataDir), `${JSON.stringify({ version })}\n`);
}

function readMark(dataDir: string): string | undefined {
  return tryReadJson(markFile(dataDir), z.object({ version: z.string() }))?.version;
}
