import type { Command } from 'commander';
import type { Clock } from '../core/clock.js';
import type { Config } from '../core/config.js';

/** What most commands start from. */
export interface CliContext {
  config: Config;
  clock: Clock;
}

/** Path given by `--config`, wherever it stood on the command line. */
export function configOption(command: Command): string | undefined {
  return command.optsWithGlobals<{ config?: string }>().config;
}

/**
 * Reads the configuration in force. Loaded on demand: `tidemark --help` needs none of it.
 * @throws TidemarkError `InvalidConfig`
 */
export async function loadContext(command: Command): Promise<CliContext> {
  const [{ configPath, loadConfig }, { createClock }] = await Promise.all([
    import('../core/config.js'),
    import('../core/clock.js'),
  ]);
  return { config: loadConfig(configPath(configOption(command))), clock: createClock() };
}

/** Help text with examples, the same shape for every command. */
export function examples(...lines: string[]): string {
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
