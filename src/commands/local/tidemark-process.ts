import { fileURLToPath } from 'node:url';

const HERE = import.meta.url;

/**
 * Command and arguments that run a TypeScript file of this repository (after a build: the JavaScript file). `file` is
 * relative to the root. Gives tsx as a URL: `node --import tsx` would search for it from the current folder.
 */
export function runOurs(file: string, args: readonly string[]): { command: string; args: string[] } {
  const typescript = HERE.endsWith('.ts');
  const script = fileURLToPath(new URL(`../../../${typescript ? file : file.replace(/\.ts$/, '.js')}`, HERE));
  const loader = typescript ? ['--import', import.meta.resolve('tsx')] : [];
  return { command: process.execPath, args: [...loader, script, ...args] };
}
