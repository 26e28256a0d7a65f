import { isFileFault, isStorageError } from '../storage/errors.js';
import type { Config } from '../core/config.js';
import { takePublished } from '../remote/take-published.js';
import { tell } from '../terminal/print.js';
import { joinData } from '../working-copy/join.js';

/**
 * Opens the working copy of a machine for a command, and takes the current build. If the bucket cannot be reached, or
 * files of the build are lost there, says so and goes on with what this machine has.
 */
export async function joinBucket(config: Config): Promise<void> {
  try {
    await joinData(config);
    await takePublished(config);
  } catch (error) {
    if (isFileFault(error)) {
      tell(
        `${error.message} This command uses what this machine has. To publish the build again, run \`tidemark publish --check\`.`,
      );
    } else if (isStorageError(error, 'unreachable')) {
      tell(`${error.message} This command uses what this machine has.`);
    } else throw error;
  }
}
