import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { configPath, loadConfig, type Config } from './config.js';
import { demoMark } from '../store/data-folder.js';

const EXAMPLE = fileURLToPath(new URL('../../tidemark.example.yaml', import.meta.url));

/**
 * Loads the configuration named by `--config` or TIDEMARK_CONFIG, else tidemark.yaml. If no configuration is named and
 * tidemark.yaml is missing, loads the configuration of an earlier demo, if there was one.
 * @throws TidemarkError `InvalidConfig`
 */
export function loadInForce(option: string | undefined, env: NodeJS.ProcessEnv = process.env): Config {
  const file = configPath(option, env);
  const example = isNamed(option, env) || existsSync(file) ? null : exampleConfig(env);
  return example !== null && existsSync(demoMark(example.dataDir)) ? example : loadConfig(file, env);
}

/** Loads tidemark.example.yaml, with the data folder in the current folder instead of next to the example. */
export function exampleConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return loadConfig(EXAMPLE, { ...env, TIDEMARK_DATA: path.resolve(env['TIDEMARK_DATA'] || 'data') });
}

/** True when the user named a configuration; then the demo's configuration must not replace it. */
export function isNamed(option: string | undefined, env: NodeJS.ProcessEnv = process.env): boolean {
  return option !== undefined || Boolean(env['TIDEMARK_CONFIG']);
}
