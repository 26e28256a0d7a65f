import { existsSync } from 'node:fs';
import { configPath, loadConfig, type Config } from '../../config/config.js';
import { demoDir } from '../../store/data-folder.js';
import { exampleConfig, isNamed } from '../../config/config-in-force.js';

/**
 * Returns the configuration of the demo: the file that the user named, else tidemark.yaml in the current folder, else
 * the example with `./data`. The demo always crawls the sandbox. If tidemark.yaml names a real API, the demo uses a
 * separate data folder, so that invented companies never mix with real ones.
 */
export function demoConfig(
  option: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): { config: Config; note: string | null } {
  const own = configPath(option, env);
  if (!isNamed(option, env) && !existsSync(own)) return { config: exampleConfig(env), note: null };
  const config = loadConfig(own, env);
  if (isLocal(config.api.baseUrl) || env['TIDEMARK_DATA']) return { config, note: null };
  const dataDir = demoDir(config.dataDir);
  const note = `${own} names the API ${config.api.baseUrl}. The demo reads the sandbox instead and writes only to ${dataDir}.`;
  return { config: loadConfig(own, { ...env, TIDEMARK_DATA: dataDir }), note };
}

function isLocal(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}
