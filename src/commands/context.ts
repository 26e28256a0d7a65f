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
 * Reads the configuration in force: the one named, else tidemark.yaml here. Where there is none but a demo ran, its
 * configuration: after `npm run demo` in a fresh clone, `tidemark sql` simply works.
 * @throws TidemarkError `InvalidConfig`
 */
export async function loadContext(command: Command): Promise<CliContext> {
  const [{ loadInForce }, { createClock }] = await Promise.all([
    import('./config-in-force.js'),
    import('../core/clock.js'),
  ]);
  return { config: loadInForce(configOption(command)), clock: createClock() };
}

/** Help text with examples, the same shape for every command. */
export function examples(...lines: string[]): string {
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
