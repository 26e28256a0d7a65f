import path from 'node:path';
import type { Command } from 'commander';
import { formatBytes } from '../../../schemas/format.js';
import { invalidInput } from '../../base/errors.js';
import type { Fetched } from '../../warehouse/builds/take-build.js';
import type { Storage } from '../../store/storage.js';
import { loadContext } from '../context.js';
import { tell } from '../terminal/print.js';

/** Time between two looks for a newer version. */
const CHECK_MS = 30_000;

/**
 * Opens the place that `--from` names, without a configuration file. Without `--from`, opens `publish.to`.
 * @throws TidemarkError `InvalidInput` if neither is set
 */
export async function openPlace(from: string | undefined, command: Command): Promise<Storage> {
  if (from !== undefined) return (await import('../../store/open.js')).openStorage(from);
  const { config } = await loadContext(command);
  const { openRemote } = await import('../../warehouse/builds/copy-published.js');
  const storage = openRemote(config);
  if (storage === undefined)
    throw invalidInput(
      '`publish.to` is not set, and there is no --from.',
      'Add --from with a bucket (s3://…) or a folder to which builds are copied.',
    );
  return storage;
}

/**
 * Downloads the current version of a bucket or folder into the cache of the user, unless it is there. Prints the size
 * of a download. Needs no configuration file.
 */
export async function downloadCurrent(from: string): Promise<Fetched> {
  const [{ openStorage }, { fetchCurrent }] = await Promise.all([
    import('../../store/open.js'),
    import('../../warehouse/builds/take-build.js'),
  ]);
  const storage = openStorage(from);
  return fetchCurrent(storage, await cacheOfUser(), sayDownload(storage));
}

/** As `downloadCurrent`, and follows newer versions (see `follow`). */
export async function followCurrent(from: string): Promise<{ place: string; newest: () => Fetched }> {
  const [{ openStorage }, { follow }] = await Promise.all([
    import('../../store/open.js'),
    import('../../warehouse/builds/follow.js'),
  ]);
  const storage = openStorage(from);
  const newest = await follow(storage, {
    cache: await cacheOfUser(),
    everyMs: CHECK_MS,
    onDownload: sayDownload(storage),
    onFault: (reason) => tell(`Cannot look for a newer version, so the explorer shows the last one: ${reason}`),
  });
  return { place: storage.name, newest };
}

async function cacheOfUser(): Promise<string> {
  const { cacheFolder } = await import('../../../bootstrap/cache.mjs');
  return path.join(cacheFolder(), 'published');
}

function sayDownload({ name }: Storage): (bytes: number) => void {
  return (bytes) => tell(`Downloading ${formatBytes(bytes)} from ${name} …`);
}
