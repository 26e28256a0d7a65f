// Mutation testing of SQL: changes one thing in a model or staging file and runs the cases that read it. `npm run mutate:sql`.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type * as CasesModule from '../../src/warehouse/models-test-cases.js';
import type { ModelCase } from '../../src/warehouse/models-test-cases.js';
import type * as TestModule from '../../src/warehouse/models-test.js';
import { listMutations, type Mutation } from './mutations.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDERS = ['core', 'staging', 'marts'];
/** SQL that DuckDB does not accept is no mutant: nobody could ship it. */
const INVALID = /(?:Parser|Binder|Catalog) Error/;

type Outcome = 'killed' | 'survived' | 'invalid' | 'no case';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '1' }, json: { type: 'string' } },
});
const every = Number(values.every);

// The cases read `sql/` beside the code they run: both are copied, so that the checkout is never changed.
const copy = mkdtempSync(path.join(tmpdir(), 'tidemark-mutate-sql-'));
for (const name of ['src', 'schemas', 'sql', 'package.json', 'test/sql/cases'])
  cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
const load = async <T>(file: string): Promise<T> => (await import(pathToFileURL(path.join(copy, file)).href)) as T;
const { runCase } = await load<typeof TestModule>('src/warehouse/models-test.ts');
const { readCases } = await load<typeof CasesModule>('src/warehouse/models-test-cases.ts');
const cases = readCases([path.join(copy, 'test/sql/cases')]);

const files = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(copy, 'sql', folder))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => `${folder}/${name}`),
).filter(
  (file) => positionals.length === 0 || positionals.some((named) => file.startsWith(named.replace(/^sql\//, ''))),
);

const texts = new Map(files.map((file) => [file, readFileSync(path.join(copy, 'sql', file), 'utf8')]));
const results: { file: string; line: number; rule: string; from: string; to: string; outcome: Outcome }[] = [];
try {
  for (const [file, text] of texts) {
    const relevant = casesOf(file);
    const mutations = listMutations(text).filter((_, index) => index % every === 0);
    for (const mutation of mutations) {
      const { line, rule, from, to } = mutation;
      const outcome = relevant.length === 0 ? 'no case' : await tryMutation(file, text, mutation, relevant);
      results.push({ file, line, rule, from, to, outcome });
      if (outcome === 'survived' || outcome === 'no case') console.log(describe(file, mutation, outcome));
    }
    console.log(`${file}: ${score(results.filter((result) => result.file === file))}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
for (const folder of FOLDERS) {
  const own = results.filter(({ file }) => file.startsWith(`${folder}/`));
  if (own.length > 0) console.log(`sql/${folder}: ${score(own)}`);
}
if (values.json !== undefined) {
  mkdirSync(path.dirname(path.resolve(values.json)), { recursive: true });
  writeFileSync(values.json, `${JSON.stringify(results, null, 1)}\n`);
}

async function tryMutation(
  file: string,
  text: string,
  { text: mutated }: Mutation,
  relevant: ModelCase[],
): Promise<Outcome> {
  const target = path.join(copy, 'sql', file);
  writeFileSync(target, mutated);
  try {
    for (const testCase of relevant) {
      const { failures } = await runCase(testCase);
      if (failures.some(({ error }) => error !== null && INVALID.test(error))) return 'invalid';
      if (failures.length > 0) return 'killed';
    }
    return 'survived';
  } catch {
    // An error that is not the case's own: loading failed.
    return 'killed';
  } finally {
    writeFileSync(target, text);
  }
}

/** Cases that can notice a change of this file: cheap ones (rows of one model) first, then those that ask it by name, then its readers. */
function casesOf(file: string): ModelCase[] {
  const [folder = '', name = ''] = file.replace(/\.sql$/, '').split('/');
  if (folder === 'staging') {
    const shared = name.startsWith('_');
    return cases.filter((one) => !('model' in one) && (shared || one.given.some(({ stream }) => stream === name)));
  }
  const named = `${folder}.${name}`;
  const readers = readersOf(named);
  const asks = (one: ModelCase, models: string[]): boolean =>
    'model' in one
      ? one.model === named
      : one.expect.some(({ query }) => models.some((model) => new RegExp(`\\b${model}\\b`).test(query)));
  const direct = cases
    .filter((one) => asks(one, [named]))
    .toSorted((a, b) => Number('model' in b) - Number('model' in a));
  return [...direct, ...cases.filter((one) => !direct.includes(one) && asks(one, readers))];
}

/** Models that read this one, at any distance. */
function readersOf(model: string): string[] {
  const all = [...FOLDERS.slice(0, 1), 'marts', 'ops'].flatMap((folder) =>
    readdirSync(path.join(copy, 'sql', folder))
      .filter((name) => name.endsWith('.sql'))
      .map(
        (name) =>
          [`${folder}.${name.slice(0, -4)}`, readFileSync(path.join(copy, 'sql', folder, name), 'utf8')] as const,
      ),
  );
  const found = new Set<string>();
  const queue = [model];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const pattern = new RegExp(`\\b${at}\\b`);
    for (const [name, text] of all) {
      if (name === model || found.has(name) || !pattern.test(text.replace(/^\/\*[\s\S]*?\*\//, ''))) continue;
      found.add(name);
      queue.push(name);
    }
  }
  return [...found];
}

function describe(file: string, { line, rule, from, to }: Mutation, outcome: Outcome): string {
  const short = (piece: string): string => piece.replaceAll(/\s+/g, ' ').slice(0, 90);
  return `${outcome}: sql/${file}:${line} ${rule}: "${short(from)}" to "${short(to)}"`;
}

function score(some: readonly { outcome: Outcome }[]): string {
  const count = (outcome: Outcome): number => some.filter((one) => one.outcome === outcome).length;
  const valid = some.length - count('invalid');
  const share = valid === 0 ? 'no mutant' : `${Math.round((100 * count('killed')) / valid)} %`;
  return `${share} killed (${count('killed')} of ${valid}; ${count('survived')} survived, ${count('no case')} without a case, ${count('invalid')} not valid SQL)`;
}
