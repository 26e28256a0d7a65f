import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { unprovenFile } from '../../store/data-folder.js';
import { writeFileAtomic } from '../../store/files.js';
import { workingCopyOf } from '../../store/working-copy/open.js';
import type { WorkingCopy } from '../../store/working-copy/working-copy.js';

const Texts = z.array(z.string()).default([]);
const Content = z.object({ values: Texts, named: Texts, companies: Texts, phones: Texts, short: Texts });

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
  /** Phone numbers among `named`, as far as the names of fields show them. */
  readonly phones: Set<string>;
  /** Removed values that are too short to search for. */
  readonly short: Set<string>;
  readonly #file: string;
  /** If the data is in a bucket, another machine may continue the removal. */
  readonly #copy: WorkingCopy | undefined;

  private constructor(
    file: string,
    copy: WorkingCopy | undefined,
    { values, named, companies, phones, short }: z.infer<typeof Content>,
  ) {
    this.#file = file;
    this.#copy = copy;
    this.values = new Set(values);
    this.named = new Set(named);
    this.companies = new Set(companies);
    this.phones = new Set(phones);
    this.short = new Set(short);
  }

  /** Reads the file `secrets/forget-unproven.json` of a data folder, if there is one. */
  static async open(dataDir: string): Promise<Unproven> {
    const file = unprovenFile(dataDir);
    const copy = workingCopyOf(dataDir);
    await copy?.refresh(file);
    const content: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    return new Unproven(file, copy, Content.parse(content));
  }

  async save(): Promise<void> {
    if (this.values.size === 0) return;
    const { values, named, companies, phones, short } = this;
    const sets = Object.entries({ values, named, companies, phones, short });
    await writeFileAtomic(this.#file, JSON.stringify(Object.fromEntries(sets.map(([name, set]) => [name, [...set]]))));
    await this.#copy?.give(this.#file);
  }

  async remove(): Promise<void> {
    await (this.#copy === undefined ? rm(this.#file, { force: true }) : this.#copy.remove(this.#file));
  }
}
