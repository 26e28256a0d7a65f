import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { formatCount } from '../../../../schemas/format.js';
import { hasErrorCode, invalidInput } from '../../../base/errors.js';
import { writeFileAtomic, makeFolderSync } from '../../../store/files.js';
import type { SavedQuery } from '../../../../schemas/explorer/api.js';
import { checkLength } from './allowed.js';
import { MAX_TEXT } from './limits.js';

// The name is the file name, so it has no path and no hidden file.
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} _.()-]{0,80}$/u;

const MOST_SAVED = 1_000;

/** The saved queries of a user: `.sql` files in one folder. */
export class SavedQueries {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Lists all saved queries by name. Empty if the folder does not exist. */
  async list(): Promise<SavedQuery[]> {
    const files = await readdir(this.folder).catch((error: unknown) => {
      if (hasErrorCode(error, 'ENOENT')) return [];
      throw error;
    });
    const names = files.filter((file) => file.endsWith('.sql')).map((file) => file.slice(0, -4));
    const known = names.filter((name) => NAME.test(name)).toSorted((a, b) => a.localeCompare(b, 'en'));
    return Promise.all(
      known.map(async (name) => ({ name, sql: (await readFile(this.#file(name), 'utf8')).slice(0, MAX_TEXT) })),
    );
  }

  /**
   * Writes a query. Replaces the query of the same name.
   * @throws TidemarkError `InvalidInput` for a name that cannot be a file name, or when there are too many queries
   */
  async save({ name, sql }: SavedQuery): Promise<void> {
    checkLength(sql);
    const file = this.#file(name);
    makeFolderSync(this.folder);
    const names = await readdir(this.folder);
    if (names.length >= MOST_SAVED && !names.includes(path.basename(file)))
      throw invalidInput(`There are ${formatCount(MOST_SAVED)} saved queries.`, `Remove some from ${this.folder}.`);
    await writeFileAtomic(file, sql.endsWith('\n') ? sql : `${sql}\n`);
  }

  /** Removes a query. Does nothing if there is none. */
  async remove(name: string): Promise<void> {
    await rm(this.#file(name), { force: true });
  }

  #file(name: string): string {
    if (!NAME.test(name) || name.endsWith('.'))
      throw invalidInput(`"${name}" cannot be the name of a query.`, 'Use letters, digits, spaces, - and _.');
    return path.join(this.folder, `${name}.sql`);
  }
}
