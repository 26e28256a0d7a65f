import { fileURLToPath } from 'node:url';

const HERE = import.meta.url;

/**
 * Command and arguments that run a TypeScript (or, after a build, JavaScript) file of ours, given relative to this
 * repository's root. tsx is named by its address: `node --import tsx` would look for it in the current folder.
 */
export function runOurs(file: string, args: readonly string[]): { command: string; args: string[] } {
  const typescript = HERE.endsWith('.ts');
  const script = fileURLToPath(new URL(`../../../${typescript ? file : file.replace(/\.ts$/, '.js')}`, HERE));
  const loader = typescript ? ['--import', import.meta.resolve('tsx')] : [];
  return { command: process.execPath, args: [...loader, script, ...args] };
}
