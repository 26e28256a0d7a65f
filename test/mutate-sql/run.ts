// Mutation testing of SQL: changes one thing in a file of sql/ and tries the cases that read it. `npm run mutate:sql`.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { drawSample, wilsonInterval } from '../helpers/sample.js';
import { listMutations, type Mutation } from './mutations.js';
import { macroAt } from './relations.js';
import { loadTrials, type Outcome } from './trials.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDERS = ['core', 'staging', 'marts', 'ops', 'meta', 'macros'];

interface Result extends Mutation {
  file: string;
  macro: string | undefined;
  outcome: Outcome | 'no case';
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

// The cases read `sql/` next to the code they run, so both are copied and the checkout is never changed.
const copy = mkdtempSync(path.join(tmpdir(), 'tidemark-mutate-sql-'));
try {
  for (const name of ['src', 'schemas', 'sql', 'package.json', 'test/sql/cases'])
    cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  const { cases, isRelevant, open } = await loadTrials(copy);
  const all: Result[] = [];
  for (const folder of FOLDERS) {
    const results = mutantsOf(folder);
    if (results.length === 0) continue;
    // Cases of one model first: they are the fastest.
    for (const testCase of cases.toSorted((a, b) => Number('model' in b) - Number('model' in a))) {
      const alive = results.filter(
        (one) => (one.outcome === 'survived' || one.outcome === 'no case') && isRelevant(testCase, one),
      );
      if (alive.length === 0) continue;
      const trial = await open(testCase, folder);
      for (const one of alive) {
        one.outcome = await trial.try(one);
        if (values.verbose && one.outcome === 'killed') console.log(`${describe(one)} by "${testCase.name}"`);
      }
      await trial.close();
    }
    report(folder, results);
    all.push(...results);
  }
  if (values.json !== undefined) {
    mkdirSync(path.dirname(path.resolve(values.json)), { recursive: true });
    writeFileSync(
      values.json,
      `${JSON.stringify(
        all.map(({ file, line, rule, from, to, outcome }) => ({ file, line, rule, from, to, outcome })),
        null,
        1,
      )}\n`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Mutations of the named files, or of a sample of them; all files of a folder if none is named. */
function mutantsOf(folder: string): Result[] {
  const files = readdirSync(path.join(copy, 'sql', folder))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => `${folder}/${name}`)
    .filter(
      (file) => positionals.length === 0 || positionals.some((named) => isNamed(file, named.replace(/^sql\//, ''))),
    );
  const mutants = files.flatMap((file) => {
    const text = readFileSync(path.join(copy, 'sql', file), 'utf8');
    return listMutations(text).map((mutation) => ({
      ...mutation,
      file,
      macro: folder === 'macros' ? macroAt(text, mutation.line) : undefined,
      outcome: 'no case' as const,
    }));
  });
  if (values.sample === undefined) return mutants;
  const drawn = drawSample(mutants, Number(values.sample), `${values.seed} ${folder}`, (_, at) => String(at));
  return mutants.filter((one) => drawn.includes(one));
}

function isNamed(file: string, named: string): boolean {
  return [`${named.replace(/\/$/, '')}/`, `${named}.sql`, named].some(
    (start) => file === start || (start.endsWith('/') && file.startsWith(start)),
  );
}

function report(folder: string, results: Result[]): void {
  for (const file of new Set(results.map((one) => one.file))) {
    const own = results.filter((one) => one.file === file);
    for (const one of own) if (one.outcome === 'survived' || one.outcome === 'no case') console.log(describe(one));
    console.log(`${file}: ${score(own)}`);
  }
  console.log(`sql/${folder}: ${score(results)}${values.sample === undefined ? '' : interval(results)}`);
}

function describe({ file, line, rule, from, to, outcome }: Result): string {
  const short = (piece: string): string => piece.replaceAll(/\s+/g, ' ').slice(0, 90);
  return `${outcome}: sql/${file}:${line} ${rule}: "${short(from)}" to "${short(to)}"`;
}

function score(some: readonly Result[]): string {
  const { killed, valid } = counts(some);
  const of = (outcome: Result['outcome']): number => some.filter((one) => one.outcome === outcome).length;
  const share = valid === 0 ? 'no mutant' : `${Math.round((100 * killed) / valid)} %`;
  return `${share} killed (${killed} of ${valid}; ${of('survived')} survived, ${of('no case')} without a case, ${of('invalid')} not valid SQL)`;
}

/** The 95 % confidence interval of the share for all mutants, given this sample. */
function interval(some: readonly Result[]): string {
  const { killed, valid } = counts(some);
  const [low, high] = wilsonInterval(killed, valid).map((share) => Math.round(100 * share));
  return `; a sample, 95 % interval ${low} to ${high} %`;
}

function counts(some: readonly Result[]): { killed: number; valid: number } {
  const killed = some.filter(({ outcome }) => outcome === 'killed').length;
  return { killed, valid: some.length - some.filter(({ outcome }) => outcome === 'invalid').length };
}
