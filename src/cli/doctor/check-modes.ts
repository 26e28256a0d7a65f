import { openFolders } from '../../store/file-modes.js';
import { ok, warn, type Finding } from './finding.js';

/** Checks that other users of this machine cannot enter folders that may hold personal data. */
export function checkModes(dataDir: string): Finding {
  const open = openFolders(dataDir);
  if (open.length === 0) return ok('modes', 'other users cannot read folders with personal data');
  return warn(
    'modes',
    `other users of this machine can read ${open.join(', ')} in ${dataDir}`,
    'Start a worker: it corrects the permissions. Or run chmod 700 on these folders. The setting `readers` decides who may read data/published.',
  );
}
