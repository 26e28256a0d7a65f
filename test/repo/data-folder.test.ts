import { describe, expect, it } from 'vitest';
import { readProjectFiles } from './project-files.js';

const OWNER = 'src/store/data-folder.ts';
// Pure names inside a run's folder of the landing zone.
const PART_NAMES = 'src/landing/paths.ts';

const LITERAL = String.raw`\s*,\s*['"\x60]`;
/** `path.join(config.dataDir, 'x')` and `path.join(publishedDir(dataDir), 'x')`. */
const JOINED = new RegExp(
  String.raw`\bpath\.(?:posix\.)?(?:join|resolve)\(\s*(?:[\w.#?]*dataDir|\w+\([\w.#?\s]*dataDir\b[^()]*\))${LITERAL}`,
  'g',
);
/** `${dataDir}/x` */
const SPELLED = /\$\{[\w.#?]*dataDir\}\//g;
/** `path.join(folder, '_spool')` */
const IN_RUN = new RegExp(String.raw`\bpath\.join\([^'"\x60;]*['"\x60]_(?:spool|manifest)['"\x60]`, 'g');

const sources = readProjectFiles(/^(src|activities|workflows)\/.*\.ts$/);

/** Every match outside the files that may hold it. */
function findAll(pattern: RegExp, except: readonly string[]): string[] {
  return [...sources]
    .filter(([file]) => !except.includes(file))
    .flatMap(([file, text]) => (text.match(pattern) ?? []).map((hit) => `${file}: ${hit}`));
}

describe('paths below the data folder', () => {
  it('builds paths below the data folder in one file only', () => {
    expect([...findAll(JOINED, [OWNER]), ...findAll(SPELLED, [OWNER])]).toEqual([]);
  });

  it('names the spool and manifest folders of a run in one file only', () => {
    expect(findAll(IN_RUN, [PART_NAMES])).toEqual([]);
  });

  it.each([
    ["path.join(dataDir, 'runs')", JOINED],
    ['path.join(this.#dataDir,\n  `x-${run}`)', JOINED],
    ["path.resolve(deps.config.dataDir, 'logs', name)", JOINED],
    ["path.join(publishedDir(config.dataDir), 'lake')", JOINED],
    ['`${config.dataDir}/runs`', SPELLED],
    ["path.join(folder, '_spool', name)", IN_RUN],
  ])('finds a path built by %s', (text, pattern) => {
    expect(text.match(pattern)).toHaveLength(1);
  });

  it('draws every name of the data folder in its file', () => {
    const text = sources.get(OWNER) ?? '';
    const [, drawing = '', code = ''] = /^([\s\S]*?\*\/)([\s\S]*)$/.exec(text) ?? [];
    const names = [...code.matchAll(/'([a-z][\w.-]*)'/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !drawing.includes(name))).toEqual([]);
  });
});
