import { openFolders } from '../../core/file-modes.js';
import { ok, warn, type Finding } from './finding.js';

/** Checks that other users of this machine cannot enter folders that may hold personal data. */
export function checkModes(dataDir: string): Finding {
  const open = openFolders(dataDir);
  if (open.length === 0) return ok('modes', 'what may hold personal data is closed to other users');
  return warn(
    'modes',
    `other users of this machine may enter ${open.join(', ')} in ${dataDir}`,
    'Start a worker: it closes them. Or chmod 700 them. Who may read data/published is decided by `readers`.',
  );
}
