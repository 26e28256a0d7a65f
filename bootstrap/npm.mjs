import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Finds npm: the one that runs us, else the one that came with this Node, else whatever is on PATH.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{ command: string, args: string[], env: NodeJS.ProcessEnv, shell: boolean }} `args` come first
 */
export function findNpm(env = process.env) {
  const binFolder = path.dirname(process.execPath);
  const scripts = [
    env['npm_execpath'],
    path.join(binFolder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    path.join(binFolder, 'node_modules', 'npm', 'bin', 'npm-cli.js'), // Windows
  ];
  // `npm_execpath` is another manager's when that one runs us, and only npm understands package-lock.json.
  const script = scripts.find((file) => file !== undefined && path.basename(file) === 'npm-cli.js' && existsSync(file));
  const clean = withoutRunOfNpm(env);
  if (script !== undefined) return { command: process.execPath, args: [script], env: clean, shell: false };
  return { command: 'npm', args: [], env: clean, shell: process.platform === 'win32' };
}

/**
 * What an outer npm says about its own run must not steer an inner one; the user's settings stay.
 *
 * @param {NodeJS.ProcessEnv} env
 */
function withoutRunOfNpm(env) {
  const own = /^(npm_(package|lifecycle|command|execpath)|npm_config_(local_prefix|prefix|global|dry_run)$|INIT_CWD$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}
