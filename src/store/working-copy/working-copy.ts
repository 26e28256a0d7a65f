import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { TidemarkError } from '../../base/errors.js';
import { identityFile, workingCopyFile } from '../data-folder.js';
import { Data } from '../data.js';
import { writeFileOnce } from '../files.js';
import type { Storage } from '../storage.js';

const Identity = z.looseObject({ id: z.string().regex(/^[0-9a-f]{8}$/), of: z.string() });

/**
 * The data folder of a machine, as a working copy of the data in a bucket (`data: s3://…`). A lost working copy costs only
 * what its running steps had not given yet.
 */
export class WorkingCopy extends Data {
  declare readonly storage: Storage;

  /**
   * Opens the working copy in a folder. Gives a new folder an identity.
   * @throws TidemarkError `InvalidConfig` when the folder holds data itself, or is the working copy of other data
   */
  static async open(storage: Storage, dataDir: string): Promise<WorkingCopy> {
    const file = workingCopyFile(dataDir);
    const identity = { id: randomUUID().slice(0, 8), of: storage.name };
    // In a working copy, this file is older than `folder.json`. So look for `folder.json` first.
    const holdsData = existsSync(identityFile(dataDir));
    if (!existsSync(file)) {
      if (holdsData) throw ownData(dataDir, storage);
      await writeFileOnce(file, `${JSON.stringify(identity)}\n`);
    }
    const { id, of } = Identity.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (of !== storage.name) {
      throw new TidemarkError(
        'InvalidConfig',
        `The folder ${dataDir} is a working copy of ${of}, not of ${storage.name}.`,
        {
          todo: 'Set TIDEMARK_STORAGE_FOLDER to another folder, or correct `data`.',
        },
      );
    }
    return new WorkingCopy(dataDir, storage, id);
  }
}

/** A working copy removes files that the bucket has, so it must not begin in a folder with the only copy of data. */
function ownData(dataDir: string, { name }: Storage): TidemarkError {
  return new TidemarkError(
    'InvalidConfig',
    `The folder ${dataDir} holds data itself, so it cannot become a working copy of ${name}.`,
    {
      todo: 'Set TIDEMARK_STORAGE_FOLDER to a new folder. `tidemark data copy` copies the data of the old folder to the bucket.',
    },
  );
}
