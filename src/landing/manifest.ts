import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { PartManifest } from '../../schemas/pipeline/landing.js';
import { LandingStream } from '../../schemas/streams/landing-streams.js';
import { runFolder } from '../store/data-folder.js';
import { TidemarkError } from '../base/errors.js';
import { sha256 } from '../base/hash.js';
import { decodePart } from './parquet.js';
import { manifestName, manifestsDir, runFolders } from './paths.js';
import { namesIn } from '../store/files.js';
import type { LandedRow } from '../../schemas/pipeline/landing.js';
import type { Data } from '../store/data.js';

/*
 * States of a part, and what changes them:
 * - written: the Parquet file exists, but no manifest. So readers ignore the part.
 * - written → committed: the worker writes its manifest. From then on, the part never changes.
 * - written → removed: another attempt has committed the same chunk with another file.
 * - committed → replaced: compaction commits a joined part, whose manifest names this part under `replaces`. From then
 *   on, readers ignore this part.
 * - replaced → removed: compaction removes its manifest, then its file.
 */

/** A committed part: its manifest, and the absolute path of its Parquet file. */
export interface LandedPart extends PartManifest {
  file: string;
}

/**
 * Reads the manifests of all committed parts, or only those of one stream, of one run, or of dates from `since`
 * (YYYY-MM-DD) on. Skips the parts that compaction has replaced.
 * @param onFault called for each unreadable manifest, with its path. Without `onFault`, the function throws at the first one
 * @returns parts ordered by stream, date, run and part
 * @throws TidemarkError `LandingCorrupt` when a manifest is unreadable
 */
export function readManifests(
  dataDir: string,
  filter: { stream?: LandingStream; run?: string; since?: string } = {},
  onFault?: (fault: TidemarkError, manifest: string) => void,
): LandedPart[] {
  const parts: LandedPart[] = [];
  for (const stream of filter.stream ? [filter.stream] : LandingStream.options) {
    for (const { folder, run } of runFolders(dataDir, stream, filter.since))
      if (filter.run === undefined || run === filter.run) parts.push(...readFolder(folder, onFault));
  }
  return parts;
}

/**
 * Finds the newest timestamp in the landing zone. Reads the records about runs for all dates, and all other parts only
 * for dates from `since` on. Skips unreadable manifests; the load reports them.
 * @param since date of a night, YYYY-MM-DD
 * @returns the ISO instant and its run; null for an empty landing zone
 */
export function newestStamp(dataDir: string, since: string): { stamp: string; run: string } | null {
  const skip = (): void => undefined;
  return [...readManifests(dataDir, { stream: 'runs' }, skip), ...readManifests(dataDir, { since }, skip)]
    .flatMap(({ lastFetchedAt: stamp, run }) => (stamp === null ? [] : [{ stamp, run }]))
    .reduce<{ stamp: string; run: string } | null>((a, b) => (a === null || b.stamp > a.stamp ? b : a), null);
}

/**
 * Reads the rows of a stream that one run has committed, part by part. Checks the hash of each part.
 * @throws TidemarkError `LandingCorrupt` when a part or manifest is damaged
 */
export function readRunRows(target: {
  data: Pick<Data, 'dataDir'>;
  stream: LandingStream;
  run: string;
  date: string;
}): LandedRow[] {
  return readFolder(runFolder(target)).flatMap(readPartRows);
}

/**
 * Reads the rows of a part.
 * @throws TidemarkError `LandingCorrupt` when the file is missing or does not match its manifest
 */
export function readPartRows(part: LandedPart): LandedRow[] {
  const bytes = existsSync(part.file) ? readFileSync(part.file) : undefined;
  const hash = bytes && sha256(bytes);
  if (bytes === undefined || hash !== part.sha256)
    throw corrupt(part.file, bytes === undefined ? 'is missing' : 'differs from its manifest');
  return decodePart(bytes);
}

/** Yields the committed parts of a stream, starting with the latest date. Opens one folder at a time. */
export function* recentParts(dataDir: string, stream: LandingStream): Generator<LandedPart> {
  // Skip unreadable manifests here. The load reports them.
  for (const { folder } of [...runFolders(dataDir, stream)].toReversed()) yield* readFolder(folder, () => undefined);
}

/**
 * Finds the manifest of the joined part that contains a chunk's rows after compaction (`tidemark compact`). Returns
 * undefined if compaction has not joined the chunk's part.
 */
export function findReplacing(folder: string, chunk: string): PartManifest | undefined {
  return namesIn(manifestsDir(folder), 'part-joined-')
    .map((name) => readManifest(path.join(manifestsDir(folder), name)))
    .find(({ replaces = [] }) => replaces.some(({ part }) => manifestName(part) === `part-${chunk}.json`));
}

/** As `readManifests`, for one run's folder or its quarantine. */
export function readFolder(folder: string, onFault?: (fault: TidemarkError, manifest: string) => void): LandedPart[] {
  const manifests = manifestsDir(folder);
  const parts = namesIn(manifests, 'part-')
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const file = path.join(manifests, name);
      try {
        const manifest = readManifest(file);
        return [{ ...manifest, file: path.join(folder, manifest.part) }];
      } catch (error) {
        const fault = corrupt(file, 'is no manifest', error);
        if (onFault === undefined) throw fault;
        onFault(fault, file);
        return [];
      }
    });
  const replaced = new Set(parts.flatMap(({ replaces = [] }) => replaces.map(({ part }) => part)));
  return replaced.size === 0 ? parts : parts.filter(({ part }) => !replaced.has(part));
}

/** Reads a manifest; undefined if there is none, or it cannot be read. */
export function tryManifest(file: string): PartManifest | undefined {
  try {
    return readManifest(file);
  } catch {
    return undefined;
  }
}

interface Known {
  /** Inode, size and times of the file. They change if the file is replaced or edited. */
  stamp: string;
  manifest: PartManifest;
}

// After a year of nights, to parse all manifests would take most of the time of a load. They never change, so a process
// parses each of them once.
const known = new Map<string, Known>();
const MOST_KNOWN = 20_000;

/** Reads a manifest. Throws if there is none, or it cannot be read. */
export function readManifest(file: string): PartManifest {
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  const stamp = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  const before = known.get(file);
  if (before?.stamp === stamp) return before.manifest;
  const manifest = PartManifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(file, { stamp, manifest });
  return manifest;
}

function corrupt(file: string, what: string, cause?: unknown): TidemarkError {
  return new TidemarkError('LandingCorrupt', `Landing zone: ${file} ${what}.`, {
    todo: 'Restore the file from a backup. Without a backup: `tidemark quarantine` moves it out of the way, and says what is lost.',
    cause,
  });
}
