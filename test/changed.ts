// `npm run test:changed [-- REF]`: runs the tests of files edited since REF (default: the last commit).
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Folders that tests read without an import, with the tests to run for them. */
const READ_AS_FILES: Record<string, string[]> = {
  'sql/': ['test/sql', 'test/src/warehouse'],
  'workflows/': ['test/workflows', 'test/replay'],
  'test/replay/histories/': ['test/replay'],
};

const since = process.argv[2] ?? 'HEAD';
const edited = [
  ...git('diff', '--name-only', '--diff-filter=d', since),
  ...git('ls-files', '--others', '--exclude-standard'),
];
const folders = Object.entries(READ_AS_FILES).flatMap(([folder, tests]) =>
  edited.some((file) => file.startsWith(folder)) ? tests : [],
);
const code = edited.filter((file) => /\.m?ts$/.test(file));
if (folders.length + code.length === 0) console.log(`No test reads what was edited since ${since}.`);
const ran = [
  ...(folders.length > 0 ? [vitest('run', ...new Set(folders))] : []),
  // End-to-end tests are left out, because nearly every edit affects them. `npm test` runs them.
  ...(code.length > 0 ? [vitest('related', '--run', '--project', '!e2e', ...code)] : []),
];
process.exitCode = ran.every((status) => status === 0) ? 0 : 1;

function git(...args: string[]): string[] {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
}

function vitest(...args: string[]): number | null {
  const script = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  return spawnSync(process.execPath, [script, ...args, '--passWithNoTests'], { cwd: ROOT, stdio: 'inherit' }).status;
}
