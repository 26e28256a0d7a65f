import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { asDiskFull, makeFolder, syncFolder } from '../core/files.js';

/**
 * The checks of a chunk that were sent, written before each request. A check costs money and is no idempotent request.
 * A worker that is killed between the request and the landed answer repeats the request; this file counts the calls.
 *
 * A line is `<fingerprint> sent` or, when the API surely ran no check, `<fingerprint> unsent`.
 */
export class SentChecks {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Notes that a check will be sent now. Returns how many of its calls may have reached the API, this one included. */
  async sending(fingerprint: string): Promise<number> {
    await this.#append(`${fingerprint} sent\n`);
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    const count = (word: string): number => lines.filter((line) => line === `${fingerprint} ${word}`).length;
    return Math.max(1, count('sent') - count('unsent'));
  }

  /** Notes that the API ran no check for the last call. */
  async notRun(fingerprint: string): Promise<void> {
    await this.#append(`${fingerprint} unsent\n`);
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
      throw asDiskFull(error, this.#file);
    }
  }
}
