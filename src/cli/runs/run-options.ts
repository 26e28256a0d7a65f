import type { Command } from 'commander';
import type { FollowOptions } from './run-and-follow.js';

/** Options of every command that starts a run and follows it. */
export interface RunOptions {
  wait: boolean;
  json?: boolean;
  strict?: boolean;
}

/** Adds the options of `RunOptions`. */
export function addRunOptions(command: Command): Command {
  return command
    .option('--no-wait', 'start the run and return at once')
    .option('--strict', 'also exit with 1 when the run is partial')
    .option('--json', 'print the result as JSON');
}

/** Converts the options of a command. @param again command line that follows the same run again */
export function followOptions({ wait, json = false, strict = false }: RunOptions, again: string): FollowOptions {
  return { wait, json, strict, again };
}
