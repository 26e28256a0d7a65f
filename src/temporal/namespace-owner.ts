import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { WorkflowType, type DataFolder } from '../../schemas/pipeline/run.js';
import { workingCopyFile } from '../store/data-folder.js';
import { describeFolder, readDataFolder } from '../store/folder-identity.js';
import { TidemarkError } from '../base/errors.js';
import type { TemporalTarget } from './connect.js';
import { shellQuote } from '../base/text/pasteable.js';
import { seenWorkers } from './crawl-workers.js';
import { readDevServer } from './dev-server-state.js';
import { folderMemo } from './folder-memo.js';
import { foreignWorkers } from './foreign-workers.js';
import { existingSchedules } from './schedules.js';

/*
 * A namespace belongs to one data folder. An open workflow holds the folder's identity in its memo. The server does not
 * start its first task for decades, and no worker polls its queue: it only stores the identity, and the server lets only
 * one process create it.
 */

/** Workflow id of the record that names the data folder of a namespace. */
export const OWNER_ID = 'tidemark/data-folder';
const QUEUE = 'tidemark-data-folder';
const NEVER = '30y';
const OPEN_RUNS = `WorkflowType IN (${WorkflowType.options.map((type) => `'${type}'`).join(', ')}) AND ExecutionStatus = 'Running'`;

/** The data folder that a namespace belongs to. */
interface Owner {
  folder: DataFolder;
  runId: string;
}

/** A Temporal client and its address. */
export interface Place {
  client: Client;
  target: Pick<TemporalTarget, 'address' | 'namespace' | 'source'>;
}

/**
 * Reads which data folder the namespace belongs to; null if no folder has claimed it.
 * @throws ServiceError when the server does not answer
 */
export async function readOwner(client: Client): Promise<Owner | null> {
  try {
    const { status, memo, runId } = await client.workflow.getHandle(OWNER_ID).describe();
    const folder = memo?.['folder'] as DataFolder | undefined;
    return status.name === 'RUNNING' && folder ? { folder, runId } : null;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
    throw error;
  }
}

/**
 * Checks that the namespace belongs to a data folder.
 * @param own identity of the folder; null if no worker has used it
 * @param dataDir path of the folder, for the message
 * @returns whether the namespace belongs to it; `free` if the namespace has no owner that could come back
 * @throws TidemarkError `OtherDataFolder` if the namespace belongs to another folder
 */
export async function requireOwn(place: Place, own: DataFolder | null, dataDir: string): Promise<'own' | 'free'> {
  const owner = await readOwner(place.client);
  if (owner === null) return 'free';
  const relation = relate(owner.folder, own ?? { id: '', path: path.resolve(dataDir), host: hostname() }, place);
  if (relation === 'other' || relation === 'copy') throw belongsToOther(place, owner.folder, own, dataDir);
  return relation === 'replaced' ? 'free' : 'own';
}

/**
 * Makes the namespace belong to a data folder. Takes it over from another folder only if nothing of that folder is left:
 * no worker polls, no run is open, and no schedule exists.
 * @throws TidemarkError `OtherDataFolder` if the namespace belongs to another folder
 */
export async function claimNamespace(place: Place, own: DataFolder): Promise<void> {
  const { client } = place;
  for (;;) {
    const owner = await readOwner(client);
    const relation = owner === null ? 'free' : relate(owner.folder, own, place);
    if (relation === 'same') return;
    const remains = relation === 'moved' ? null : await findRemains(client, relation, own);
    if (remains !== null) throw belongsToOther(place, owner?.folder ?? null, own, own.path, remains);
    // Ends exactly the record that was read. If another process replaced it since then, looks again.
    if (owner !== null)
      await client.workflow
        .getHandle(OWNER_ID, owner.runId)
        .terminate('the namespace has a new data folder')
        .catch(() => undefined);
    try {
      await client.workflow.start('dataFolder', {
        workflowId: OWNER_ID,
        taskQueue: QUEUE,
        startDelay: NEVER,
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: `this namespace belongs to the data folder ${describeFolder(own)}`,
        staticDetails: 'Do not terminate this workflow. It keeps other data folders out of this namespace.',
        ...folderMemo(own),
      });
      return;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
}

/**
 * How a data folder relates to the owner of a namespace:
 * - `same`: it is the owner; `moved`: it is the owner, at a new path of the same machine
 * - `copy`: a copy of the owner, with the same id, while the owner still exists on this machine
 * - `replaced`: another folder at the same path of the same machine, so the owner cannot come back there
 */
type Relation = 'same' | 'moved' | 'copy' | 'replaced' | 'other';

function relate(owner: DataFolder, own: DataFolder, { target }: Place): Relation {
  if (owner.id !== own.id) return owner.host === own.host && owner.path === own.path ? 'replaced' : 'other';
  // With the data in a bucket, one machine can have several working copies of the same data.
  if (owner.host !== own.host || owner.path === own.path || existsSync(workingCopyFile(own.path))) return 'same';
  try {
    if (readDataFolder(owner.path)?.id !== own.id) return 'moved';
    if (statSync(owner.path).ino === statSync(own.path).ino) return 'same';
  } catch {
    return 'moved';
  }
  // The dev server of a copied folder belongs to the copy: no other folder uses it.
  return readDevServer(own.path)?.address === target.address ? 'moved' : 'copy';
}

/** Returns what keeps a folder from taking the namespace over, for people; null if there is nothing. */
async function findRemains(client: Client, relation: Relation | 'free', own: DataFolder): Promise<string | null> {
  if (relation === 'copy') return 'the folder of which this one is a copy';
  // If a server does not list its pollers, its open runs and schedules decide.
  const workers = foreignWorkers(await seenWorkers(client).catch(() => []), own);
  if (workers.length > 0) return `the worker ${workers.map(({ name }) => name).join(', ')}`;
  if (relation !== 'other') return null;
  for await (const { workflowId } of client.workflow.list({ query: OPEN_RUNS })) return `the open run ${workflowId}`;
  const [schedule] = await existingSchedules(client);
  return schedule === undefined ? null : `the schedule ${schedule}`;
}

/** Makes the error for a namespace of another folder. `remains` says why the namespace cannot be taken over. */
function belongsToOther(
  { target }: Place,
  owner: DataFolder | null,
  own: DataFolder | null,
  dataDir: string,
  remains?: string,
): TidemarkError {
  const { address, namespace, source } = target;
  const named = {
    environment: 'TEMPORAL_ADDRESS',
    'data folder': 'server of this data folder',
    default: 'the default',
  };
  const where = `Temporal at ${address} (${named[source]}), namespace ${namespace}`;
  const whose =
    owner === null ? 'is in use by another data folder' : `belongs to the data folder ${describeFolder(owner)}`;
  const left = remains === undefined ? '' : `; ${remains} is still there`;
  const here = own === null ? `${dataDir}, which no worker has used` : describeFolder(own);
  return new TidemarkError('OtherDataFolder', `${where}, ${whose}${left}. This command uses ${here}.`, {
    todo: remedy(source, owner, own),
  });
}

function remedy(source: TemporalTarget['source'], owner: DataFolder | null, own: DataFolder | null): string {
  if (owner !== null && owner.id === own?.id)
    return `This folder is a copy. To use both, delete folder.json in the copy and give it its own namespace. If the original is no longer used, move it away.`;
  const other =
    owner === null ? '' : ` To use the other folder, set TIDEMARK_DATA=${shellQuote(owner.path)} (or \`--config\`).`;
  if (source === 'environment')
    return `Name the namespace of this folder: TEMPORAL_NAMESPACE=… (each data folder needs its own). Or unset TEMPORAL_ADDRESS and run \`tidemark up\`.${other}`;
  return `Start this folder's own server with \`tidemark up\`. Or name its server: TEMPORAL_ADDRESS=host:port.${other}`;
}
