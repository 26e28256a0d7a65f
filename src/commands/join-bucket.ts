import { isStorageError } from '../storage/errors.js';
import type { Config } from '../core/config.js';
import { takePublished } from '../remote/take-published.js';
import { tell } from '../terminal/print.js';
import { joinData } from '../working-copy/join.js';

/**
 * Opens the working copy of a machine for a command, and takes the current build. If the bucket cannot be reached, says
 * so and goes on with what this machine has.
 */
export async function joinBucket(config: Config): Promise<void> {
  try {
    await joinData(config);
    await takePublished(config);
  } catch (error) {
    if (!isStorageError(error, 'unreachable')) throw error;
    tell(`${error.message} This command uses what this machine has.`);
  }
}
