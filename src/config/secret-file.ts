import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic, makeFolderSync } from '../store/files.js';

/**
 * Writes a file that only this user can read (mode 0600, folder 0700).
 * @throws TidemarkError `DiskFull` when there is no space; the file is then unchanged
 */
export async function writeSecretFile(file: string, content: string): Promise<void> {
  const folder = path.dirname(file);
  makeFolderSync(folder, 0o700);
  // The folder may already exist and be open to other users.
  await chmod(folder, 0o700);
  await writeFileAtomic(file, `${content}\n`);
}
