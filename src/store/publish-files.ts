import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFileAtomic } from './files.js';
import type { Data } from './data.js';
import type { Content } from './storage.js';

/*
 * Files that are valid together: first the files, then one file that names them. A folder needs no names, because all
 * processes see the same files. With the data in a bucket, each machine gives its files under its own keys. The first
 * machine that gives the naming file wins.
 */

/** Additional content of the naming file in a bucket. */
interface Names {
  files?: (Content & { key: string })[];
}

/**
 * Publishes files that this process has written.
 * @param name the file that names them
 * @param content other content of this file
 * @returns false if another machine has published first; then its content is in `name`
 */
export async function publishFiles(
  data: Data,
  name: string,
  content: object,
  files: readonly string[],
): Promise<boolean> {
  if (!data.isShared()) {
    await writeFileAtomic(name, encode(content));
    return true;
  }
  const named: Names['files'] = [];
  for (const file of files) {
    const key = `${data.keyOf(file)}.${data.id}-${randomUUID().slice(0, 8)}`;
    named.push({ key, ...(await data.storage.upload(key, file)) });
  }
  return data.claim(name, encode({ ...content, files: named }));
}

/**
 * Takes one of the published files, unless it is here with the valid content.
 * @param name the file that names them, as it is here
 * @param n its position in `files` of `publishFiles`
 * @param file path under which it was written
 */
export async function takePublished(data: Data, name: string, n: number, file: string): Promise<void> {
  if (!data.isShared()) return;
  const found = namesIn(name)[n];
  if (found !== undefined) await data.takeContent(file, found, found.key);
}

/** Removes the naming file, and from a bucket also the published files. */
export async function removePublished(data: Data, name: string): Promise<void> {
  const given = data.isShared() ? namesIn(name) : [];
  await data.remove(name);
  await data.all(given, async ({ key }) => data.storage?.remove(key));
}

function namesIn(name: string): NonNullable<Names['files']> {
  return existsSync(name) ? ((JSON.parse(readFileSync(name, 'utf8')) as Names).files ?? []) : [];
}

function encode(content: object): string {
  return `${JSON.stringify(content)}\n`;
}
