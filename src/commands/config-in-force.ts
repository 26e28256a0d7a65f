import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { configPath, loadConfig, type Config } from '../core/config.js';

const EXAMPLE = fileURLToPath(new URL('../../tidemark.example.yaml', import.meta.url));

/** Left in a data folder by its first demo: the day that was. */
export function demoMark(dataDir: string): string {
  return path.join(dataDir, 'demo-began');
}

/**
 * The configuration `--config`, TIDEMARK_CONFIG or tidemark.yaml give; without any of them, and where a demo has run,
 * the demo's.
 * @throws TidemarkError `InvalidConfig`
 */
export function loadInForce(option: string | undefined, env: NodeJS.ProcessEnv = process.env): Config {
  const file = configPath(option, env);
  const example = isNamed(option, env) || existsSync(file) ? null : exampleConfig(env);
  return example !== null && existsSync(demoMark(example.dataDir)) ? example : loadConfig(file, env);
}

/** tidemark.example.yaml, with the data folder here and not beside the example. */
export function exampleConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return loadConfig(EXAMPLE, { ...env, TIDEMARK_DATA: path.resolve(env['TIDEMARK_DATA'] || 'data') });
}

/** True when the person named a configuration: then no other will do. */
export function isNamed(option: string | undefined, env: NodeJS.ProcessEnv = process.env): boolean {
  return option !== undefined || Boolean(env['TIDEMARK_CONFIG']);
}
