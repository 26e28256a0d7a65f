import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { makeFolderSync } from '../../store/files.js';
import { buildDir, orderDir } from '../../store/data-folder.js';

/*
 * The order in which builds were published. Each publication gives its build a number above all numbers before. The
 * clock of a machine may be wrong, so the names and times of builds say nothing about their order.
 */

/** `publication`: the number of a build. `last`: the highest number at the place from which the build was taken. */
const Numbered = z.object({ publication: z.int().nonnegative(), last: z.int().nonnegative().optional() });
export type Numbered = z.infer<typeof Numbered>;

const orderFile = (dataDir: string, build: string): string => `${orderDir(dataDir)}/${build}.json`;

/** Returns the number of a build: a later publication has a higher one. 0 if it cannot be read, as after a power cut. */
export function numberOf(dataDir: string, build: string): number {
  return readNumber(dataDir, build).publication;
}

/** Records the number of a build. */
export function writeNumber(dataDir: string, build: string, number: Numbered): void {
  const file = orderFile(dataDir, build);
  makeFolderSync(path.dirname(file));
  writeFileSync(`${file}.new`, `${JSON.stringify(number)}\n`);
  renameSync(`${file}.new`, file);
}

/** Gives a build a higher number: the one that it has in the bucket. */
export function raiseNumber(dataDir: string, build: string, publication: number): void {
  if (publication > numberOf(dataDir, build)) writeNumber(dataDir, build, { publication });
}

/**
 * Returns the number of the next publication: above the numbers of all builds here, and of those known in the bucket.
 * Removes the numbers of removed builds, except the highest one.
 */
export function nextNumber(dataDir: string): number {
  const folder = orderDir(dataDir);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];
  const known = files.map((file) => {
    const build = path.basename(file, '.json');
    const { publication, last = 0 } = readNumber(dataDir, build);
    return { build, number: Math.max(publication, last) };
  });
  const highest = Math.max(0, ...known.map(({ number }) => number));
  for (const { build, number } of known)
    if (number < highest && !existsSync(buildDir(dataDir, build))) rmSync(orderFile(dataDir, build), { force: true });
  return highest + 1;
}

function readNumber(dataDir: string, build: string): Numbered {
  try {
    return Numbered.parse(JSON.parse(readFileSync(orderFile(dataDir, build), 'utf8')));
  } catch {
    return { publication: 0 };
  }
}
