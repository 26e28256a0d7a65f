import type { Command } from 'commander';
import type { Clock } from '../base/time/clock.js';
import type { Config } from '../config/config.js';
import type { Data } from '../store/data.js';

/** Configuration, data and clock. Most commands need them. */
export interface CliContext {
  config: Config;
  data: Data;
  clock: Clock;
}

/** Returns the path that `--config` gives, at any position of the command line. */
export function configOption(command: Command): string | undefined {
  return command.optsWithGlobals<{ config?: string }>().config;
}

/**
 * Reads the configuration that `--config` names, else tidemark.yaml in the current folder. If neither exists but a demo
 * has run, reads the demo's configuration. So `tidemark sql` works after `npm run demo` in a fresh clone.
 * With the data in a bucket, opens the working copy and takes the current build.
 * @throws TidemarkError `InvalidConfig`
 */
export async function loadContext(command: Command): Promise<CliContext> {
  const [{ loadInForce }, { Data }, { createClock }, { sandboxDays }] = await Promise.all([
    import('../config/config-in-force.js'),
    import('../store/data.js'),
    import('../base/time/clock.js'),
    import('./running-sandbox.js'),
  ]);
  const config = loadInForce(configOption(command));
  const data =
    config.bucket === undefined
      ? new Data(config.dataDir)
      : await (await import('./join-bucket.js')).joinBucket(config);
  return { config, data, clock: createClock(process.env, sandboxDays(config.dataDir)) };
}

/** Returns the help text for examples, in the same format for every command. */
export function examples(...lines: string[]): string {
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
