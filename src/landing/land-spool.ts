import { runFolder } from '../store/data-folder.js';
import { distinct, headOf, type Frame } from './frames.js';
import { readFolder, readPartRows } from './manifest.js';
import { writePart } from './part-writer.js';
import { manifestName, type PartTarget } from './paths.js';
import { pullManifests, pullParts } from './pull.js';

/** Upper limits of one part. Only a part with a single row may exceed them. */
export interface SpoolLimits {
  rows: number;
  bytes: number;
}

/**
 * Default limits: 1,000 rows, or 32 MiB in the spool. A part is encoded in memory, beside the frames of the spool.
 */
export const SPOOL_LIMITS: SpoolLimits = { rows: 1_000, bytes: 32 * 2 ** 20 };

/** Options of `landFrames`. */
export interface LandOptions {
  limits?: SpoolLimits | undefined;
  /** Called before each part is written and before the work ends. May throw to stop the work. */
  goesOn?: () => void;
  /**
   * Whether somebody may still continue the chunk: if its run ended early, a reset of the workflow does. Then the parts
   * have names that leave the chunk's own name to the complete chunk.
   */
  isOpen?: boolean;
}

/**
 * Lands the frames of a chunk as parts of limited size. Lands each row once, even if the work is interrupted, or several
 * processes and machines do it at the same time: the parts have numbered names, and the first process that commits a name
 * wins. The others then leave out the rows that the chunk's parts hold.
 * @returns the number of rows that this call has landed
 */
export async function landFrames(
  target: PartTarget,
  all: readonly Frame[],
  { limits = SPOOL_LIMITS, goesOn = () => undefined, isOpen = false }: LandOptions,
): Promise<number> {
  const frames = distinct(all);
  let [rest, landed] = [frames, 0];
  for (let part = 0; rest.length > 0; part++) {
    goesOn();
    const next = firstOf(rest, limits);
    const { isNew } = await writePart({ ...target, chunk: nameOf(target, part, isOpen) }, next);
    if (isNew) landed += next.length;
    rest = isNew ? rest.slice(next.length) : await notLanded(target, frames);
  }
  goesOn();
  return landed;
}

const OPEN = 'left-';
const LATER = '.part';

/** Returns the chunk name of a part. Later parts have names that sort after the first one. */
function nameOf({ chunk }: PartTarget, part: number, isOpen: boolean): string {
  const first = isOpen ? `${OPEN}${chunk}` : chunk;
  return part === 0 ? first : `${first}${LATER}${String(part).padStart(6, '0')}`;
}

/** Whether a part holds rows of a chunk, by its file name. */
function isPartOf({ chunk }: PartTarget, part: string): boolean {
  const [name = ''] = manifestName(part).slice('part-'.length, -'.json'.length).split(LATER);
  return name === chunk || name === `${OPEN}${chunk}`;
}

/** Returns the first frames that fit into one part. */
function firstOf(frames: readonly Frame[], limits: SpoolLimits): Frame[] {
  let bytes = 0;
  const fits = (frame: Frame): boolean => (bytes += sizeOf(frame)) <= limits.bytes;
  const end = frames.findIndex((frame, row) => row === limits.rows || (!fits(frame) && row > 0));
  return frames.slice(0, end === -1 ? undefined : end);
}

function sizeOf(frame: Frame): number {
  return Buffer.byteLength(headOf(frame)) + frame.body.length + 2;
}

/** Returns the frames whose rows no part of the chunk holds. Compaction may have joined these parts with others. */
async function notLanded(target: PartTarget, frames: readonly Frame[]): Promise<Frame[]> {
  const { data, stream } = target;
  await pullManifests(data, { streams: [stream], run: target });
  const parts = readFolder(runFolder(target)).filter(({ part, replaces = [] }) =>
    [part, ...replaces.map((replaced) => replaced.part)].some((name) => isPartOf(target, name)),
  );
  await pullParts(data, parts);
  // Two deliveries may have the same key. The parts hold the first ones.
  const landed = new Map<string, number>();
  for (const key of parts.flatMap(readPartRows).map(keyOf)) landed.set(key, (landed.get(key) ?? 0) + 1);
  return frames.filter((frame) => {
    const left = landed.get(keyOf(frame)) ?? 0;
    landed.set(keyOf(frame), left - 1);
    return left <= 0;
  });
}

/** Identifies a row of a chunk: the request, and when its answer came. `tidemark forget` may change the body. */
function keyOf({ request_key, entity_id, row_kind, fetched_at }: Omit<Frame, 'body'>): string {
  return JSON.stringify([request_key, entity_id, row_kind, fetched_at]);
}
