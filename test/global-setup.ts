import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '..');
// Files that the compiled code reads from its folder.
const LINKED = [
  'sql',
  'test',
  'tidemark.example.yaml',
  'package.json',
  'package-lock.json',
  'bootstrap',
  'bin',
  'docs',
  'node_modules',
];

/**
 * Compiles the code once for all processes of tests (`compiled` in helpers/processes.ts). A CLI that compiles itself
 * starts three times slower.
 * @returns a function that removes the compiled code
 */
export async function setup(): Promise<() => void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-compiled-'));
  const files = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'src', 'schemas', 'workflows', 'activities', 'sandbox'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  )
    .trim()
    .split('\n');
  await build({
    entryPoints: files.filter((file) => file.endsWith('.ts')).map((file) => path.join(ROOT, file)),
    outdir: folder,
    outbase: ROOT,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
  for (const file of files.filter((name) => !name.endsWith('.ts')))
    cpSync(path.join(ROOT, file), path.join(folder, file));
  for (const name of LINKED) symlinkSync(path.join(ROOT, name), path.join(folder, name));
  process.env['TIDEMARK_TEST_BUILD'] = folder;
  // One thread builds small tables faster, and several tests share the cores.
  process.env['TIDEMARK_WAREHOUSE_THREADS'] ??= '1';
  return () => rmSync(folder, { recursive: true, force: true });
}
