import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { configOption, loadContext } from './context.js';

/** Returns the folder of the user's own models. Undefined if there is no configuration file, or if it names no folder. */
export async function ownModels(command: Command): Promise<string | undefined> {
  const { configPath } = await import('../config/config.js');
  const isNamed = configOption(command) !== undefined || existsSync(configPath(undefined));
  return isNamed ? (await loadContext(command)).config.modelsDir : undefined;
}
