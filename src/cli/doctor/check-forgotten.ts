import { existsSync } from 'node:fs';
import { personalDataKeyFile } from '../../store/data-folder.js';
import { openFingerprint } from '../../privacy/fingerprint.js';
import { readForgotten } from '../../privacy/forgotten.js';
import { fail, type Finding } from './finding.js';
import { Data } from '../../store/data.js';

/** Checks that the list of forgotten people and its key can be read. Returns nothing if so. */
export async function checkForgotten(dataDir: string): Promise<Finding[]> {
  try {
    readForgotten(dataDir);
    if (existsSync(personalDataKeyFile(dataDir))) await openFingerprint(new Data(dataDir));
    return [];
  } catch (error) {
    return [fail('forgotten', error)];
  }
}
