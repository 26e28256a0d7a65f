import { isStorageError } from '../store/errors.js';
import type { Config } from '../config/config.js';
import { takeUnlessLost } from '../warehouse/builds/take-published.js';
import { tell } from './terminal/print.js';
import type { Data } from '../store/data.js';
import { joinData, openData } from '../store/working-copy.js';

const GOES_ON = 'This command uses what this machine has.';

/**
 * Opens the working copy of a machine for a command, and takes the current build. If the bucket cannot be reached, or
 * files of the build are lost there, says so and goes on with what this machine has.
 */
export async function joinBucket(config: Config): Promise<Data> {
  const data = await openData(config);
  try {
    await joinData(data);
    await takeUnlessLost(config, (fault) =>
      tell(`${fault} ${GOES_ON} To publish the build again, run \`tidemark publish --check\`.`),
    );
  } catch (error) {
    if (!isStorageError(error, 'unreachable')) throw error;
    tell(`${error.message} ${GOES_ON}`);
  }
  return data;
}
