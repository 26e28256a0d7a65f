import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { unprovenFile } from '../../core/data-folder.js';
import { writeFileAtomic } from '../../core/files.js';
import { workingCopyOf } from '../../working-copy/open.js';
import type { WorkingCopy } from '../../working-copy/working-copy.js';

const Content = z.object({ values: z.array(z.string()), named: z.array(z.string()), companies: z.array(z.string()) });

/**
 * Values that a removal has removed, but has not yet proven to be gone. They are on disk while the removal runs, so
 * that it can continue after a crash. When the removal has ended, no file holds these values.
 */
export class Unproven {
  /** Values of everything that was removed. */
  readonly values: Set<string>;
  /** Values of forgotten people. An event about people loses its content if the event holds one of these values. */
  readonly named: Set<string>;
  /** Companies of forgotten people. */
  readonly companies: Set<string>;
  readonly #file: string;
  /** If the data is in a bucket, another machine may continue the removal. */
  readonly #copy: WorkingCopy | undefined;

  private constructor(
    file: string,
    copy: WorkingCopy | undefined,
    { values, named, companies }: z.infer<typeof Content>,
  ) {
    this.#file = file;
    this.#copy = copy;
    this.values = new Set(values);
    this.named = new Set(named);
    this.companies = new Set(companies);
  }

  /** Reads the file `secrets/forget-unproven.json` of a data folder, if there is one. */
  static async open(dataDir: string): Promise<Unproven> {
    const file = unprovenFile(dataDir);
    const copy = workingCopyOf(dataDir);
    await copy?.refresh(file);
    const empty = { values: [], named: [], companies: [] };
    return new Unproven(file, copy, existsSync(file) ? Content.parse(JSON.parse(readFileSync(file, 'utf8'))) : empty);
  }

  async save(): Promise<void> {
    if (this.values.size === 0) return;
    const { values, named, companies } = this;
    await writeFileAtomic(
      this.#file,
      JSON.stringify({ values: [...values], named: [...named], companies: [...companies] }),
    );
    await this.#copy?.give(this.#file);
  }

  async remove(): Promise<void> {
    await (this.#copy === undefined ? rm(this.#file, { force: true }) : this.#copy.remove(this.#file));
  }
}
