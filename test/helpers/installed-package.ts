import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnv, ROOT } from './processes.js';

/** Tidemark, installed in a folder of its own, as in a user's project. */
export interface InstalledPackage {
  folder: string;
  /** The installed package itself. */
  root: string;
  bin: string;
  remove(): void;
}

/** Packs Tidemark as `npm publish` would, and installs it in an empty folder. */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-installed-'));
  npm(ROOT, 'pack', '--pack-destination', folder);
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  npm(folder, 'install', archive, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  const root = path.join(folder, 'node_modules', 'tidemark');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  return { folder, root, bin: path.join(root, 'bin', 'tidemark.mjs'), remove };
}

export function npm(cwd: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd, encoding: 'utf8', shell: process.platform === 'win32', stdio: 'pipe' });
}

/** Writes the programs of docs/client.md as `docs-1.ts`, `docs-2.ts`, … and returns these names without the suffix. */
export function writeDocs(folder: string): string[] {
  const page = readFileSync(path.join(ROOT, 'docs', 'client.md'), 'utf8');
  return [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, program = ''], index) => {
    writeFileSync(path.join(folder, `docs-${index + 1}.ts`), program);
    return `docs-${index + 1}`;
  });
}

/** Checks the types of TypeScript files against the installed package, and compiles them in the same place. */
export async function compileFiles(folder: string, files: readonly string[], more: string[] = []): Promise<void> {
  const types = path.join(ROOT, 'node_modules', '@types');
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--types', 'node', '--typeRoots', types];
  await runNode(process.execPath, folder, [tsc, ...options, ...more, ...files]);
}

/**
 * Runs a program of Node and returns its output, both streams.
 * @throws Error with the output, if the program fails
 */
export async function runNode(
  node: string,
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(node, args, { cwd, env: cleanEnv(env), encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout + stderr);
      else reject(new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error }));
    });
  });
}

/** Starts a program of Node and waits for a line that matches. Returns the process and that line. */
export async function startNode(
  node: string,
  cwd: string,
  args: readonly string[],
  { env, ready }: { env: Record<string, string>; ready: RegExp },
): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(node, args, { cwd, env: cleanEnv(env), stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const line = await new Promise<string>((resolve, reject) => {
    const take = (text: string): void => {
      lines.push(text);
      if (ready.test(text)) resolve(text);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', take);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended (${code}):\n${lines.join('\n')}`)));
  });
  return { child, line };
}
