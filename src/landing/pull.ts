import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { PartManifest, type LandedRow } from '../../schemas/pipeline/landing.js';
import { LandingStream } from '../../schemas/streams/landing-streams.js';
import { landingDir, runFolder, streamDir } from '../store/data-folder.js';
import { isFileFault } from '../store/errors.js';
import { tryReadJson } from '../store/files.js';
import { readManifests, readPartRows, tryManifest, type LandedPart } from './manifest.js';
import { manifestsDir } from './paths.js';
import type { Data } from '../store/data.js';

/*
 * With the data in a bucket, other machines commit parts, too. Before a step reads the landing zone, it takes their
 * manifests, and then the files of the parts that it reads. For a data folder that holds the data itself, these
 * functions do nothing.
 */

/** Which parts a step reads: all, those of some streams, or those of a run. */
export interface PullScope {
  streams?: readonly LandingStream[];
  run?: { run: string; date: string } | undefined;
}

/** Takes the manifests of parts that other machines have committed, and removes parts that were removed there. */
export async function pullManifests(data: Data, { streams, run }: PullScope = {}): Promise<void> {
  if (!data.isShared()) return;
  const { dataDir } = data;
  const all = streams ?? LandingStream.options;
  const folders =
    run !== undefined
      ? all.map((stream) => manifestsDir(runFolder({ data, stream, ...run })))
      : streams === undefined
        ? [landingDir(dataDir)]
        : streams.map((stream) => streamDir(dataDir, stream));
  await data.all(folders, async (folder) => {
    // A manifest is in the bucket before it is here. So if the later list lacks one of these, it was removed there.
    const here = manifestsIn(folder);
    const there = new Map((await data.listGiven(folder)).map(({ file, bytes }) => [file, bytes]));
    const lacking = [...there].filter(([file, bytes]) => isManifest(file) && !isSound(file, bytes));
    await data.all(lacking, ([file]) => data.take(file));
    // The list may be an old one. So ask for each manifest that it lacks.
    for (const file of here)
      if (!there.has(file) && (await data.storage.read(data.keyOf(file))) === undefined) await removeHere(file);
  });
}

function manifestsIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.map((name) => path.join(folder, name)).filter(isManifest);
}

/** Whether a manifest is here, with its size in the bucket, and can be read. Otherwise, this machine takes it again. */
function isSound(file: string, bytes: number): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === bytes && tryManifest(file) !== undefined;
}

/** Removes a part from this machine, because another one has joined it with others, or removed people from it. */
async function removeHere(manifest: string): Promise<void> {
  const name = tryReadJson(manifest, PartManifest)?.part;
  await rm(manifest, { force: true });
  if (name !== undefined) await rm(path.join(path.dirname(path.dirname(manifest)), name), { force: true });
}

/** Lists all files of the landing zone in the bucket, by their paths here; undefined if the data is in a folder. */
export async function listLanded(data: Data): Promise<ReadonlySet<string> | undefined> {
  if (!data.isShared()) return undefined;
  return new Set((await data.listGiven(landingDir(data.dataDir))).map(({ file }) => file));
}

/**
 * Takes the files of parts that this machine lacks, or that differ from their manifests here.
 * @param options `skipFaulty`: leave out files that are missing or damaged in the bucket; default: throw
 * @returns the parts that were left out
 */
export async function pullParts(
  data: Data,
  parts: readonly LandedPart[],
  { skipFaulty = false } = {},
): Promise<LandedPart[]> {
  const leftOut: LandedPart[] = [];
  await data.all(parts, async (part) => {
    try {
      await data.takeContent(part.file, part);
    } catch (error) {
      if (!isFileFault(error) || !skipFaulty) throw error;
      leftOut.push(part);
    }
  });
  return leftOut;
}

/** Takes a part, and reads its rows. If a load drops the file meanwhile, takes it again. */
export async function takeRows(data: Data, part: LandedPart): Promise<LandedRow[]> {
  await pullParts(data, [part]);
  if (!existsSync(part.file)) await pullParts(data, [part]);
  return readPartRows(part);
}

/**
 * Streams that crawl steps read with `pullRows`. A crawl worker may share the working copy with the warehouse worker. It
 * may then be about to read a part that a load has just finished. So loads keep these files. They are small, or `sweep`
 * removes them later.
 */
export const READ_BY_CRAWL: ReadonlySet<LandingStream> = new Set([
  'runs',
  'coverage',
  'quota',
  'forecasts',
  'prospecting',
  'nomenclatures',
  'contact_metrics',
]);

/**
 * Removes the files of loaded parts from a working copy, so that it stays small. The bucket keeps them. Keeps the parts
 * that crawl steps read.
 */
export async function dropFiles(data: Data, parts: readonly LandedPart[]): Promise<void> {
  for (const { file, stream } of parts) if (!READ_BY_CRAWL.has(stream)) await data.drop(file);
}

/**
 * Takes manifests and files of parts. If a step reads rows of a stream while another process loads, add the stream to
 * READ_BY_CRAWL. `finishDraft` needs no entry for `companies`: if a file is gone, the run plans without the draft.
 */
export async function pullRows(
  data: Data,
  scope: { streams: readonly LandingStream[]; run?: PullScope['run'] },
): Promise<void> {
  if (!data.isShared()) return;
  await pullManifests(data, scope);
  const filter = scope.run === undefined ? {} : { run: scope.run.run };
  for (const stream of scope.streams) {
    // The load reports unreadable manifests.
    await pullParts(
      data,
      readManifests(data.dataDir, { stream, ...filter }, () => undefined),
    );
  }
}

function isManifest(file: string): boolean {
  return path.basename(path.dirname(file)) === '_manifest' && file.endsWith('.json');
}
