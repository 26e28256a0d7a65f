import { existsSync, statSync } from 'node:fs';
import { readManifests, type LandedPart } from '../../landing/index.js';
import { formatCount } from '../../../schemas/format.js';
import { sha256OfFile } from '../../base/hash.js';

/**
 * Lists all committed parts, and the faults of unreadable manifests. An unreadable manifest hides only its own part.
 */
export function listParts(dataDir: string): { parts: LandedPart[]; faults: string[] } {
  const faults: string[] = [];
  const parts = readManifests(dataDir, {}, ({ message }) =>
    faults.push(message.replace(/^Landing zone: /, '').replace(/\.$/, '')),
  );
  return { parts, faults };
}

/**
 * Compares a part's file with its manifest: does it exist, with the same size and SHA-256? Returns the fault, or
 * undefined if there is none.
 */
export async function findPartFault(part: LandedPart): Promise<string | undefined> {
  if (!existsSync(part.file)) return `${part.file} is missing`;
  const bytes = statSync(part.file).size;
  if (bytes !== part.bytes)
    return `${part.file} has ${formatCount(bytes)} bytes, but its manifest says ${formatCount(part.bytes)}`;
  return (await sha256OfFile(part.file)) === part.sha256
    ? undefined
    : `${part.file} has another SHA-256 than its manifest says`;
}

/** Returns the key of a part, which names its place in the landing zone. */
export function partKey({ stream, date, run, part }: Pick<LandedPart, 'stream' | 'date' | 'run' | 'part'>): string {
  return `${stream}/${date}/${run}/${part}`;
}
