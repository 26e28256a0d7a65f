import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { LandingStream, PartManifest } from '../../schemas/pipeline/landing.js';
import { streamDir } from '../core/data-folder.js';
import { makeFolder } from '../core/files.js';
import { workingCopyOf } from '../working-copy/open.js';
import type { LandedPart } from './manifest.js';
import { manifestName, manifestsDir, quarantineDir } from './paths.js';

/*
 * The quarantine of a run's folder holds parts that no step reads: the manifest, and the file if it is not missing.
 * Nothing is deleted, so a part can return when its file is sound again.
 */

/** Moves a part and its manifest into quarantine. If this is interrupted, the next call continues. */
export async function quarantinePart(dataDir: string, { file, part }: LandedPart): Promise<void> {
  const folder = path.dirname(file);
  const place = quarantineDir(folder);
  const manifest = path.join(manifestsDir(folder), manifestName(part));
  await makeFolder(place);
  await copyFile(manifest, path.join(place, manifestName(part)));
  if (existsSync(file)) await rename(file, path.join(place, part));
  const copy = workingCopyOf(dataDir);
  if (copy !== undefined) {
    for (const name of [manifestName(part), part])
      if (existsSync(path.join(place, name))) await copy.give(path.join(place, name));
    await copy.remove(manifest);
    await copy.remove(file);
  }
  await rm(manifest, { force: true });
}

/**
 * Lists the parts in quarantine. `file` is where the part would return to; `kept` is its file in quarantine, or the file
 * at its old place if somebody has restored it there; undefined if there is none.
 */
export async function listQuarantine(dataDir: string): Promise<(LandedPart & { kept: string | undefined })[]> {
  const found: (LandedPart & { kept: string | undefined })[] = [];
  for (const stream of LandingStream.options) {
    for (const date of below(streamDir(dataDir, stream), 'date=')) {
      for (const folder of below(date, 'run=')) {
        const place = quarantineDir(folder);
        await takeAll(dataDir, place);
        for (const name of below(place, 'part-').filter((one) => one.endsWith('.json'))) {
          const manifest = PartManifest.parse(JSON.parse(readFileSync(name, 'utf8')));
          const file = path.join(folder, manifest.part);
          const kept = [file, path.join(place, manifest.part)].find((one) => existsSync(one));
          found.push({ ...manifest, file, kept });
        }
      }
    }
  }
  return found;
}

/** Moves a part with a sound file back: first its file, then its manifest, which makes it valid. */
export async function returnPart(dataDir: string, part: LandedPart & { kept: string }): Promise<void> {
  const folder = path.dirname(part.file);
  const place = quarantineDir(folder);
  const manifest = path.join(manifestsDir(folder), manifestName(part.part));
  if (part.kept !== part.file) await rename(part.kept, part.file);
  const copy = workingCopyOf(dataDir);
  await copy?.give(part.file);
  await rename(path.join(place, manifestName(part.part)), manifest);
  await copy?.give(manifest);
  for (const name of [manifestName(part.part), part.part]) {
    await copy?.remove(path.join(place, name));
    await rm(path.join(place, name), { force: true });
  }
}

async function takeAll(dataDir: string, folder: string): Promise<void> {
  const copy = workingCopyOf(dataDir);
  for (const { file } of (await copy?.list(folder)) ?? []) await copy?.refresh(file);
}

function below(folder: string, prefix: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => (name.startsWith(prefix) ? [path.join(folder, name)] : []));
}
