// Mutation testing with StrykerJS: `npm run mutate -- [--sample N] [--seed S] [folder or file] …`; without any, all folders.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { drawSample, wilsonInterval } from '../helpers/sample.js';
import { keyOf, listMutants, rangeOf, type Mutant } from './mutants.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const REPORTS = path.join(ROOT, 'reports', 'mutation');
const SAMPLE = path.join(REPORTS, 'sample.json');

/** What is mutated, and the fast tests run for it: none starts a Temporal server or compiled code. */
const FOLDERS: Record<string, string[]> = {
  'src/base': ['test/src/base'],
  'src/store': ['test/src/store'],
  'src/api': ['test/src/api', 'test/conformance/client.test.ts'],
  'src/config': ['test/src/config'],
  'src/landing': ['test/src/landing'],
  'src/crawl/judge': ['test/src/crawl/judge'],
  'src/crawl/search/plan': ['test/src/crawl/search/plan'],
  'src/warehouse/duckdb': ['test/src/warehouse/duckdb'],
  'src/warehouse/load': ['test/src/warehouse/load'],
  'src/warehouse/models': ['test/src/warehouse/models', 'test/src/warehouse/publish/apply-models.test.ts'],
  'src/warehouse/builds': ['test/src/warehouse/builds'],
  'src/warehouse/publish': ['test/src/warehouse/publish'],
  'src/maintenance': ['test/src/maintenance'],
  activities: ['test/activities'],
  workflows: ['test/workflows'],
};

interface Report {
  files: Record<string, { mutants: (Omit<Mutant, 'file'> & { status: string })[] }>;
}

const { values, positionals } = parseArgs({
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});
let failed = false;
for (const place of positionals.length > 0 ? positionals : Object.keys(FOLDERS)) {
  const file = place.replace(/:.*$/, '').replace(/\/$/, '');
  const folder = Object.keys(FOLDERS).find((each) => file === each || file.startsWith(`${each}/`));
  if (folder === undefined || !existsSync(path.join(ROOT, file))) {
    console.error(`Cannot mutate ${place}: name a folder or file below ${Object.keys(FOLDERS).join(', ')}.`);
    process.exit(2);
  }
  const pattern = statSync(path.join(ROOT, file)).isDirectory() ? `${file}/**/*.ts` : place;
  const sample = values.sample === undefined ? null : await sampleOf(file, Number(values.sample), values.seed);
  const tests = testsOf(folder, file);
  console.log(`${place}, tests: ${tests.join(', ')}`);
  if (!runStryker(sample?.map(rangeOf).join(',') ?? pattern, tests, sample)) failed = true;
  else printReport(place, JSON.parse(readFileSync(path.join(REPORTS, 'mutation.json'), 'utf8')) as Report, sample);
}
process.exitCode = failed ? 1 : 0;

async function sampleOf(place: string, size: number, seed: string): Promise<Mutant[]> {
  const below = () => readdirSync(path.join(ROOT, place), { recursive: true, encoding: 'utf8' });
  const files = place.endsWith('.ts') ? [place] : below().map((name) => path.posix.join(place, name));
  const all = await listMutants(ROOT, files.filter((name) => name.endsWith('.ts')).toSorted());
  const sample = drawSample(all, size, seed, keyOf);
  console.log(`${place}: ${sample.length} of ${all.length} mutants, seed ${seed}`);
  return sample;
}

function runStryker(mutate: string, tests: string[], sample: Mutant[] | null): boolean {
  const options = ['run', 'test/mutate/stryker.config.json', '--mutate', mutate];
  if (sample !== null) {
    mkdirSync(REPORTS, { recursive: true });
    writeFileSync(SAMPLE, JSON.stringify(sample.map(keyOf)));
    const checker = path.join(import.meta.dirname, 'only-sampled.mjs');
    options.push('--checkers', 'only-sampled', '--plugins', `@stryker-mutator/vitest-runner,${checker}`);
  }
  const { status } = spawnSync('npx', ['stryker', ...options], {
    cwd: ROOT,
    // One thread, because DuckDB's tests would slow each other down on a small machine.
    env: { ...process.env, MUTATE_TESTS: tests.join(','), MUTATE_SAMPLE: SAMPLE, TIDEMARK_WAREHOUSE_THREADS: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}

/** For a file with a test of the same name, that test; otherwise the tests of its folder. */
function testsOf(folder: string, file: string): string[] {
  const own = `test/${file.replace(/\.ts$/, '')}.test.ts`;
  return file !== folder && existsSync(path.join(ROOT, own)) ? [own] : (FOLDERS[folder] ?? []);
}

/** Survivors, then the share of killed mutants per file and in total. */
function printReport(place: string, { files }: Report, sample: Mutant[] | null): void {
  const sampled = sample && new Set(sample.map(keyOf));
  const all = Object.entries(files)
    .flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ ...mutant, file })))
    .filter((mutant) => sampled === null || sampled.has(keyOf(mutant)));
  for (const { file, status, mutatorName, replacement, location } of all)
    if (status === 'Survived' || status === 'NoCoverage' || status === 'Timeout')
      console.log(`${status}: ${file}:${location.start.line}:${location.start.column} ${mutatorName} → ${replacement}`);
  for (const file of [...(sample === null ? Object.keys(files) : []), null]) {
    const some = all.filter((mutant) => file === null || mutant.file === file);
    const killed = some.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
    const valid = some.filter(({ status }) => status !== 'Ignored' && !status.endsWith('Error')).length;
    if (valid === 0) continue;
    const [low, high] = wilsonInterval(killed, valid).map(percent);
    const interval = sample === null ? '' : `, 95 % interval ${low} to ${high} %`;
    console.log(`${file ?? place}: ${percent(killed / valid)} % killed (${killed} of ${valid})${interval}`);
  }
}

function percent(share: number): number {
  return Math.round(100 * share);
}
