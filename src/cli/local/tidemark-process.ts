import { fileURLToPath } from 'node:url';

const HERE = import.meta.url;

/**
 * Returns the command and arguments that run a TypeScript file of this repository, or in a build the JavaScript file.
 * `file` is relative to the root. Names tsx by its URL, because `node --import tsx` searches in the current folder.
 */
export function runOurs(file: string, args: readonly string[]): { command: string; args: string[] } {
  const typescript = HERE.endsWith('.ts');
  const script = fileURLToPath(new URL(`../../../${typescript ? file : file.replace(/\.ts$/, '.js')}`, HERE));
  const loader = typescript ? ['--import', import.meta.resolve('tsx')] : [];
  return { command: process.execPath, args: [...loader, script, ...args] };
}
