import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Finds npm: the npm that started this process, else the npm installed with this Node, else `npm` on PATH.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{ command: string, args: string[], env: NodeJS.ProcessEnv, shell: boolean }} put `args` before your own
 */
export function findNpm(env = process.env) {
  const binFolder = path.dirname(process.execPath);
  const scripts = [
    env['npm_execpath'],
    path.join(binFolder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    path.join(binFolder, 'node_modules', 'npm', 'bin', 'npm-cli.js'), // Windows
  ];
  // `npm_execpath` may name another package manager. Only npm can read package-lock.json.
  const script = scripts.find((file) => file !== undefined && path.basename(file) === 'npm-cli.js' && existsSync(file));
  const clean = withoutRunOfNpm(env);
  if (script !== undefined) return { command: process.execPath, args: [script], env: clean, shell: false };
  return { command: 'npm', args: [], env: clean, shell: process.platform === 'win32' };
}

/**
 * Removes the environment variables that an outer npm sets for its own run, because they would affect an inner npm.
 * Keeps the user's settings.
 *
 * @param {NodeJS.ProcessEnv} env
 */
function withoutRunOfNpm(env) {
  const own = /^(npm_(package|lifecycle|command|execpath)|npm_config_(local_prefix|prefix|global|dry_run)$|INIT_CWD$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}
