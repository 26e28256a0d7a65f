// A Stryker checker: turns down mutants that were not drawn but lie in the range of one that was.
import { readFileSync } from 'node:fs';

class OnlySampled {
  /** @type {Set<string>} */
  #sampled = new Set();

  async init() {
    this.#sampled = new Set(JSON.parse(readFileSync(process.env['MUTATE_SAMPLE'] ?? '', 'utf8')));
  }

  /** @param {{ id: string, fileName: string, mutatorName: string, replacement: string, location: { start: Position, end: Position } }[]} mutants */
  async check(mutants) {
    return Object.fromEntries(
      mutants.map(({ id, fileName, mutatorName, replacement, location: { start, end } }) => {
        const range = `${start.line + 1}:${start.column + 1}-${end.line + 1}:${end.column + 1}`;
        const place = `:${range} ${mutatorName} ${replacement}`;
        const isSampled = [...this.#sampled].some(
          (key) => key.endsWith(place) && fileName.includes(key.slice(0, -place.length)),
        );
        return [id, isSampled ? { status: 'passed' } : { status: 'compileError', reason: 'not drawn' }];
      }),
    );
  }

  /** @param {{ id: string }[]} mutants */
  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }
}

/** @typedef {{ line: number, column: number }} Position */

export const strykerPlugins = [{ kind: 'Checker', name: 'only-sampled', injectableClass: OnlySampled }];
