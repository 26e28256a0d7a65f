import { TidemarkError } from '../core/errors.js';
import { workingCopyOf } from './open.js';

/**
 * Refuses work that needs the data in a folder.
 * @param what such as `tidemark compact`
 * @throws TidemarkError `InvalidConfig` when the data is in a bucket
 */
export function refuseInBucket(dataDir: string, what: string): void {
  const copy = workingCopyOf(dataDir);
  if (copy === undefined) return;
  throw new TidemarkError('InvalidConfig', `${what} does not work with data in a bucket (${copy.storage.name}).`, {
    todo: 'Move the data to a folder (tidemark data copy), run it there, and move the data back. docs/many-machines.md has the steps.',
  });
}
