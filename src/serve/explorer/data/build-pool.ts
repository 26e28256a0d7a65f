import path from 'node:path';
import { resolveBuild } from '../../../warehouse/builds/published.js';
import { publishedFile } from '../../../store/data-folder.js';
import { OpenBuild } from './open-build.js';

/** The DuckDB file of a build, and the name of the build. */
export interface BuildFile {
  file: string;
  name: string;
}

/** Finds the current build. Each request calls it. */
export type FindBuild = () => BuildFile | Promise<BuildFile>;

/** Finds the current build of a data folder. */
export function currentIn(dataDir: string): FindBuild {
  return () => {
    const file = resolveBuild(publishedFile(dataDir));
    return { file, name: path.basename(path.dirname(file)) };
  };
}

/**
 * Keeps the current build open. Each request uses the build that is current when the request begins. A request in
 * progress keeps its build, also after a newer one is published.
 */
export class BuildPool {
  readonly #find: FindBuild;
  readonly #scratch: string;
  #opening: { file: string; build: Promise<OpenBuild> } | undefined;
  #closed = false;
  readonly #idleMs: number | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @param idleMs after this time without a request, closes the build, which frees its memory and disk space */
  constructor(find: FindBuild, scratch: string, idleMs?: number) {
    this.#find = find;
    this.#scratch = scratch;
    this.#idleMs = idleMs;
  }

  /**
   * Runs `work` with the current build.
   * @throws NotPublishedError when nothing is published, or the file cannot be opened
   */
  async use<T>(work: (build: OpenBuild) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    const build = await this.#current();
    try {
      return await work(build);
    } finally {
      build.release();
      clearTimeout(this.#idle);
      if (this.#idleMs !== undefined) this.#idle = setTimeout(() => void this.#leave(), this.#idleMs).unref();
    }
  }

  /** Closes the build as soon as no request uses it. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#leave();
  }

  /** Closes the build as soon as no request uses it. The next request opens the current one. */
  async #leave(): Promise<void> {
    const left = this.#opening;
    this.#opening = undefined;
    const build = await left?.build.catch(() => undefined);
    build?.retire();
  }

  /** Returns the current build, held for the caller. */
  async #current(): Promise<OpenBuild> {
    for (let attempt = 1; ; attempt++) {
      const found = await this.#find();
      const opening = this.#opening?.file === found.file ? this.#opening : this.#begin(found);
      try {
        const build = await opening.build;
        build.hold();
        return build;
      } catch (error) {
        if (this.#opening === opening) this.#opening = undefined;
        // The build may have been replaced and removed between the two steps. Resolve the link again once.
        if (attempt > 1) throw error;
      }
    }
  }

  #begin({ file, name }: BuildFile): { file: string; build: Promise<OpenBuild> } {
    const previous = this.#opening;
    const opening = { file, build: OpenBuild.open(file, name, this.#scratch) };
    this.#opening = opening;
    void this.#prepare(opening.build, previous?.build);
    return opening;
  }

  /** When the new build is open, or cannot be opened: retires the previous one. */
  async #prepare(opening: Promise<OpenBuild>, previous: Promise<OpenBuild> | undefined): Promise<void> {
    const build = await opening.catch(() => undefined);
    if (this.#closed) build?.retire();
    else build?.search.begin();
    const old = await previous?.catch(() => undefined);
    // A request may have awaited the previous build just now. It holds this build before the next turn of the event loop.
    if (old !== undefined) setImmediate(() => old.retire());
  }
}
