import { buildsIn } from '../../warehouse/builds/manifest.js';
import type { Storage } from '../../store/storage.js';
import { formatCount } from '../../../schemas/format.js';
import { fail, ok, type Finding } from './finding.js';

/**
 * Checks that the place to which builds are copied has all files of the current build, with the right sizes.
 * @param setting begins the name of the check
 */
export async function checkBuild(storage: Storage, setting: string): Promise<Finding> {
  const check = `${setting}: build`;
  try {
    const builds = buildsIn(storage);
    const found = await builds.find();
    if (found === undefined) return ok(check, 'none yet; the first publication copies one');
    if (found.current === undefined) return faulty(check, `${storage.name}: current.json is damaged`);
    const { current } = found;
    const { size } = await builds.findFaults(current);
    if (size === 0) return ok(check, `${current.build}, with all its files`);
    const files = size === 1 ? 'a file is' : `${formatCount(size)} files are`;
    return faulty(check, `${storage.name}: ${files} missing or damaged in ${current.version}`);
  } catch (error) {
    return fail(check, error);
  }
}

function faulty(check: string, message: string): Finding {
  return { check, state: 'fail', message, todo: 'Run `tidemark publish --check`. It publishes the build again.' };
}
