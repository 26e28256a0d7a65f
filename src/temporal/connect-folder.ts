import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { DataFolder } from '../../schemas/pipeline/run.js';
import { TidemarkError } from '../base/errors.js';
import { openDataFolder, readDataFolder } from '../store/folder-identity.js';
import { connectTemporal, type TemporalClient } from './connect.js';
import { claimNamespace, requireOwn } from './namespace-owner.js';

/**
 * What a command does with Temporal:
 * - `read`: shows runs, schedules or workers
 * - `act`: starts or changes runs or schedules
 * - `prepare`: prepares server and data folder. Gives the folder an identity, and claims the namespace for it
 */
export type Purpose = 'read' | 'act' | 'prepare';

/** A connected client whose namespace does not belong to another data folder. */
export interface FolderClient extends TemporalClient {
  /** Identity of the data folder; null only with `read`, if no worker has used the folder. */
  folder: DataFolder | null;
}

/**
 * Connects to Temporal for a data folder. All commands connect here, so no command reads or changes runs of another
 * data folder.
 * @param options see `connectTemporal`
 * @throws TidemarkError when Temporal does not answer; `OtherDataFolder` when the namespace belongs to another folder, or
 * when a command would act but no worker has used the folder or the server
 */
export async function connectForFolder(
  dataDir: string,
  purpose: Purpose,
  options: { tracing?: WorkflowClientInterceptor; withinMs?: number } = {},
): Promise<FolderClient> {
  const temporal = await connectTemporal(dataDir, options.tracing, options.withinMs);
  try {
    return { ...temporal, folder: await checkOwner(temporal, dataDir, purpose) };
  } catch (error) {
    await temporal.close();
    throw error;
  }
}

async function checkOwner(temporal: TemporalClient, dataDir: string, purpose: Purpose): Promise<DataFolder | null> {
  if (purpose === 'prepare') {
    const own = readDataFolder(dataDir);
    // Look before writing, so that a refused command leaves no new folder.
    if (own === null) await requireOwn(temporal, null, dataDir);
    const folder = own ?? (await openDataFolder(dataDir));
    await claimNamespace(temporal, folder);
    return folder;
  }
  const folder = readDataFolder(dataDir);
  const state = await requireOwn(temporal, folder, dataDir);
  if (purpose === 'read' || (state === 'own' && folder !== null)) return folder;
  const { address, source } = temporal.target;
  if (folder === null)
    throw new TidemarkError('OtherDataFolder', `No worker has used the data folder ${dataDir}.`, {
      todo: `Start a worker for it with \`tidemark up\` or \`tidemark worker\`. Or use the configuration of the workers (\`--config\`, TIDEMARK_DATA). Temporal was asked at ${address}.`,
    });
  // Nobody named this server, and no worker of this folder has used it.
  if (source === 'default')
    throw new TidemarkError(
      'OtherDataFolder',
      `No worker of the data folder ${dataDir} uses Temporal at ${address} (the default).`,
      {
        todo: "Start this folder's own server with `tidemark up`. Or name its server: TEMPORAL_ADDRESS=host:port.",
      },
    );
  await claimNamespace(temporal, folder);
  return folder;
}
