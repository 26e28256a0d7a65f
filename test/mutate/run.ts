// Mutation testing with StrykerJS: `npm run mutate -- [folder or file] …`; without any, all folders of FOLDERS.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const REPORT = path.join(ROOT, 'reports', 'mutation', 'mutation.json');

/** What is mutated, and the cheap tests that are run for it: none of them starts a Temporal server or compiled code. */
const FOLDERS: Record<string, string[]> = {
  'src/planner': ['test/src/planner'],
  'src/api-client': ['test/src/api-client'],
  'src/landing': ['test/src/landing'],
  'src/ledger': ['test/src/ledger'],
  'src/warehouse': ['test/src/warehouse', 'test/sql'],
  'src/core': ['test/src/core'],
  activities: ['test/activities'],
  workflows: ['test/workflows'],
};

interface Report {
  files: Record<string, { mutants: { status: string; mutatorName: string; location: { start: { line: number } } }[] }>;
}

const named = process.argv.slice(2);
let failed = false;
for (const place of named.length > 0 ? named : Object.keys(FOLDERS)) {
  const file = place.replace(/:.*$/, '').replace(/\/$/, '');
  const folder = Object.keys(FOLDERS).find((each) => file === each || file.startsWith(`${each}/`));
  if (folder === undefined || !existsSync(path.join(ROOT, file))) {
    console.error(`Cannot mutate ${place}: name a folder or file below ${Object.keys(FOLDERS).join(', ')}.`);
    process.exit(2);
  }
  const pattern = statSync(path.join(ROOT, file)).isDirectory() ? `${file}/**/*.ts` : place;
  const tests = testsOf(folder, file);
  console.log(`${place}, tests: ${tests.join(', ')}`);
  const { status } = spawnSync('npx', ['stryker', 'run', 'test/mutate/stryker.config.json', '--mutate', pattern], {
    cwd: ROOT,
    env: { ...process.env, MUTATE_TESTS: tests.join(',') },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) printReport(JSON.parse(readFileSync(REPORT, 'utf8')) as Report);
  else failed = true;
}
process.exitCode = failed ? 1 : 0;

/** For a file that has a test of its name, that test; else those of its folder. */
function testsOf(folder: string, file: string): string[] {
  const own = `test/${file.replace(/\.ts$/, '')}.test.ts`;
  return file !== folder && existsSync(path.join(ROOT, own)) ? [own] : (FOLDERS[folder] ?? []);
}

/** Survivors, then the share that was killed, by file and in all. */
function printReport({ files }: Report): void {
  const all = Object.entries(files).flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ file, ...mutant })));
  for (const { file, status, mutatorName, location } of all)
    if (status === 'Survived' || status === 'NoCoverage')
      console.log(`${status}: ${file}:${location.start.line} ${mutatorName}`);
  for (const file of [...Object.keys(files), null]) {
    const some = all.filter((mutant) => file === null || mutant.file === file);
    const killed = some.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
    const valid = some.filter(({ status }) => status !== 'Ignored' && !status.endsWith('Error')).length;
    if (valid > 0)
      console.log(`${file ?? 'In all'}: ${Math.round((100 * killed) / valid)} % killed (${killed} of ${valid})`);
  }
}
