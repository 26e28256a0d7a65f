import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../base/hash.js';
import { removeLeftovers } from '../../store/database-files.js';
import { syncFile } from '../../store/files.js';
import { copyClosed } from './copy-closed.js';
import { duckdbVersion } from './instance.js';
import { installedSchema } from './schema.js';
import { readSqlTexts } from './sql-files.js';

/*
 * A build of Tidemark contains a template: an empty warehouse with all tables, macros and models. To copy it takes less
 * time than to make them. The sources of a clone have no template when they run without a build.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Returns the path of the template. Its name has the hash of all that is in it, so no other template is ever used. */
export function templateFile(): string {
  const hash = sha256(JSON.stringify([installedSchema(), readSqlTexts(), duckdbVersion()]));
  return path.join(ROOT, `template-${hash.slice(0, 16)}.duckdb`);
}

/** Copies the template, if there is one, to a file that does not exist. First removes logs of a lost file. A kill leaves no file. */
export async function copyTemplate(file: string): Promise<void> {
  const template = templateFile();
  removeLeftovers(file);
  if (!existsSync(template)) return;
  const partial = `${file}.new`;
  await copyClosed(template, partial);
  await syncFile(partial);
  renameSync(partial, file);
}
