import os from 'node:os';
import path from 'node:path';

/**
 * Returns the user's cache folder for the project: `TIDEMARK_CACHE_DIR`, or the platform's usual place. The folder may
 * not exist yet.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @param {NodeJS.Platform} [platform]
 * @returns {string} an absolute path
 */
export function cacheFolder(env = process.env, platform = process.platform) {
  if (env['TIDEMARK_CACHE_DIR']) return path.resolve(env['TIDEMARK_CACHE_DIR']);
  const home = env['HOME'] || env['USERPROFILE'] || os.homedir();
  if (platform === 'darwin') return path.join(home, 'Library', 'Caches', 'tidemark');
  if (platform === 'win32') return path.join(env['LOCALAPPDATA'] || path.join(home, 'AppData', 'Local'), 'tidemark');
  return path.join(env['XDG_CACHE_HOME'] || path.join(home, '.cache'), 'tidemark');
}
