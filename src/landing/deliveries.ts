import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { WEBHOOK_RUN } from '../../schemas/pipeline/landing.js';
import { sha256 } from '../base/hash.js';
import { Data, type SharedData } from '../store/data.js';
import { runFolder, streamDir } from '../store/data-folder.js';
import { LocalFolder } from '../store/local-folder.js';
import { findPlace, isCertainlyGone } from '../store/lock/holder.mjs';
import { encodeFrame, type Frame } from './frames.js';
import { landFrames, type LandOptions } from './land-spool.js';
import { chunkOfSpool, spoolFile, spoolsDir, type PartTarget } from './paths.js';
import { chunkOfPiece, oldFault, readPieces } from './pieces.js';
import { pullManifests } from './pull.js';

/*
 * Webhook deliveries that are not landed yet. Several receivers may share a data folder or a bucket, for example two
 * machines behind a load balancer.
 *
 * Deliveries that arrive together become one piece: the file `_spool/part-<chunk>.spool.<number>`. It never changes. A
 * chunk holds the pieces of one receiver of about a minute. Its receiver lands them as one part, then removes them. If
 * the receiver cannot do this, another one does. Several may land a chunk at the same time, without a lock:
 * - Each row of a chunk lands once (land-spool.ts).
 * - A process removes only the pieces whose rows it has landed.
 */

const STREAM = 'watch_events';

/**
 * Returns a name for a receiver: a hash of the place of its process, the process id, and random characters.
 * @param place identifies the boot, process namespace and host of this process
 */
export function nameReceiver(place = findPlace()): string {
  return `r${tagOf(place)}${process.pid.toString(16).padStart(8, '0')}${randomBytes(4).toString('hex')}`;
}

/** Whether the receiver of a chunk is certainly dead: it ran in the place of this process, and its process is gone. */
export function isReceiverGone({ chunk }: PartTarget, place = findPlace()): boolean {
  const [, tag, pid = ''] = /^r([0-9a-f]{8})([0-9a-f]{8})[0-9a-f]{8}-/.exec(chunk) ?? [];
  return tag === tagOf(place) && isCertainlyGone({ place, pid: Number.parseInt(pid, 16) }, place);
}

function tagOf(place: string): string {
  return sha256(place).slice(0, 8);
}

/** Returns the data whose storage all receivers see: the bucket, or the data folder itself. */
function storeOf(data: Data): SharedData {
  return data.isShared() ? data : (new Data(data.dataDir, new LocalFolder(data.dataDir)) as SharedData);
}

/** Deliveries that are landed together. */
export class DeliveryChunk {
  /** Size in bytes of the deliveries that were added. */
  bytes = 0;
  readonly frames: Frame[] = [];
  readonly #store: SharedData;
  #pieces = 0;

  /** @param files the pieces that are stored already */
  constructor(
    readonly target: PartTarget,
    readonly files: string[] = [],
  ) {
    this.#store = storeOf(target.data);
  }

  /** Stores deliveries. Resolves when they are safe from a power failure, and with the data in a bucket, there. */
  async add(frames: readonly Frame[]): Promise<void> {
    const number = String(this.#pieces++).padStart(6, '0');
    const file = `${spoolFile(runFolder(this.target), this.target.chunk)}.${number}`;
    const piece = Buffer.concat(frames.flatMap(encodeFrame));
    await this.#store.storage.create(this.#store.keyOf(file), piece);
    this.files.push(file);
    this.frames.push(...frames);
    this.bytes += piece.length;
  }

  /**
   * Lands the deliveries, then removes their pieces.
   * @returns the number of deliveries, without those that another process has landed
   */
  async land(options: LandOptions): Promise<number> {
    const [{ target, files }, { data }, store] = [this, this.target, this.#store];
    // Compaction on another machine may have joined a part of this chunk with others.
    await pullManifests(data, { streams: [STREAM], run: target });
    const keys = files.map((file) => store.keyOf(file));
    const { frames, read } =
      this.frames.length > 0 ? { frames: this.frames, read: keys } : await readPieces(store, keys);
    const rows = await landFrames(target, frames, options);
    // A piece that could not be read stays for the next look.
    await data.all(files, async (file) => {
      if (read.includes(store.keyOf(file))) await data.remove(file);
    });
    return rows;
  }
}

/** Begins a chunk of a receiver. Number and time make its name unique, even if the clock is set back. */
export function beginChunk(data: Data, receiver: string, number: number, now: Date): DeliveryChunk {
  const time = now.toISOString();
  const chunk = `${receiver}-${String(number).padStart(6, '0')}-${time.replaceAll(/\D/g, '')}`;
  return new DeliveryChunk(targetOf(data, time.slice(0, 10), chunk));
}

/**
 * Finds the chunks that are not landed yet.
 * @param dates dates to look at, YYYY-MM-DD; default: all
 * @param onFault called for each file of an older version; default: throws the fault
 */
export async function findChunks(
  data: Data,
  dates?: readonly string[],
  onFault = (fault: unknown): void => {
    throw fault;
  },
): Promise<DeliveryChunk[]> {
  const folders = dates?.map((date) => spoolsDir(runFolder(targetOf(data, date, ''))));
  const found = new Map<string, DeliveryChunk>();
  for (const folder of folders ?? [streamDir(data.dataDir, STREAM)]) {
    for (const { file } of await storeOf(data).listGiven(folder)) {
      const [, date] = DATE.exec(file) ?? [];
      if (date === undefined) continue;
      const old = oldFault(file);
      if (old !== undefined) onFault(old);
      const chunk = chunkOfPiece(file) ?? chunkOfSpool(path.basename(file));
      if (chunk === undefined) continue;
      const { files } = found.get(chunk) ?? { files: [] };
      found.set(chunk, new DeliveryChunk(targetOf(data, date, chunk), [...files, file]));
    }
  }
  return [...found.values()];
}

const DATE = new RegExp(String.raw`date=([\d-]+)[\\/]run=${WEBHOOK_RUN}[\\/]_spool[\\/]`);

function targetOf(data: Data, date: string, chunk: string): PartTarget {
  return { data, stream: STREAM, run: WEBHOOK_RUN, date, market: null, chunk };
}
