import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Data } from '../../../store/data.js';
import { asDiskError } from '../../../store/disk-errors.js';
import { makeFolder, syncFolder } from '../../../store/files.js';

/** The last line of each file that is being written. */
const given = new Map<string, Promise<void>>();

/**
 * Records each check of a chunk before it is sent to the API. A check costs money, and sending it twice costs twice. If
 * a worker is killed after the request and before the answer is landed, the next attempt sends the check again. This
 * file counts these calls.
 *
 * A line is `<fingerprint> sent`, or `<fingerprint> unsent` if the API certainly ran no check.
 */
export class SentChecks {
  readonly #file: string;
  readonly #data: Data;

  /** @param data gives the file to all machines before a check is sent */
  constructor(file: string, data: Data) {
    this.#file = file;
    this.#data = data;
  }

  /**
   * Records that a check will be sent now. Returns how many calls for this check may have reached the API, including
   * this one.
   */
  async sending(fingerprint: string): Promise<number> {
    await this.#record(`${fingerprint} sent\n`);
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    const count = (word: string): number => lines.filter((line) => line === `${fingerprint} ${word}`).length;
    return Math.max(1, count('sent') - count('unsent'));
  }

  /** Records that the API ran no check for the last call. */
  async notRun(fingerprint: string): Promise<void> {
    await this.#record(`${fingerprint} unsent\n`);
  }

  async #record(line: string): Promise<void> {
    // One line at a time, because `refresh` replaces the file.
    const work = this.#give(line, given.get(this.#file));
    given.set(this.#file, work);
    return work;
  }

  async #give(line: string, before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => undefined);
    await this.#data.refresh(this.#file);
    await this.#append(line);
    await this.#data.give(this.#file);
  }

  async #append(line: string): Promise<void> {
    try {
      const isNew = !existsSync(this.#file);
      if (isNew) await makeFolder(path.dirname(this.#file));
      const handle = await open(this.#file, 'a', 0o600);
      try {
        await handle.appendFile(line);
        await handle.datasync();
      } finally {
        await handle.close();
      }
      if (isNew) await syncFolder(path.dirname(this.#file));
    } catch (error) {
      throw asDiskError(error, this.#file);
    }
  }
}
