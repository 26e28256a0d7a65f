import path from 'node:path';
import type { Client } from '@temporalio/client';
import type { DataFolder, Progress } from '../../../schemas/pipeline/run.js';
import { changedAt } from '../../config/config-change.js';
import type { Config } from '../../config/config.js';
import { describeFolder, readDataFolder, shortId } from '../../store/folder-identity.js';
import type { WorkerSeen } from '../../temporal/crawl-workers.js';
import type { OpenWorkflows } from '../../temporal/describe-open.js';
import { showPath } from '../terminal/show-path.js';

/**
 * Returns a warning if a run used another data folder than this command; null if the folder is the same, or if the run
 * has not named its folder yet.
 */
export function otherFolder(run: DataFolder | undefined, dataDir: string): string | null {
  if (run === undefined) return null;
  const own = readDataFolder(dataDir);
  if (own?.id === run.id) return null;
  const here = own === null ? `${dataDir}, which no worker has used` : describeFolder(own);
  return `A worker with the data folder ${describeFolder(run)} did this run, but this command reads ${here}. Use the worker's configuration (--config, TIDEMARK_DATA), or stop that worker and start the run again.`;
}

/** Path of the file that a run published: the short path in the same data folder, else the full path with its host. */
export function publishedPlace(published: string, folder: DataFolder | undefined, dataDir: string): string {
  if (folder === undefined || otherFolder(folder, dataDir) === null) return showPath(path.resolve(dataDir, published));
  return `${path.posix.join(folder.path, published)} on host ${folder.host}`;
}

/**
 * Warnings about workers, to show before a run starts: settings that a worker read before the configuration file was
 * edited, or runs whose version has no worker.
 * @param open the open workflows, if the caller has described them
 */
export async function workerWarnings(client: Client, config: Config, open?: Promise<OpenWorkflows>): Promise<string[]> {
  const [{ seenWorkers }, { readVersions, versionWarnings }] = await Promise.all([
    import('../../temporal/crawl-workers.js'),
    import('../../temporal/versions.js'),
  ]);
  // If a server does not list its pollers, start the run anyway.
  const [workers, versions] = await Promise.all([
    seenWorkers(client).catch(() => []),
    readVersions(client, open).catch(() => null),
  ]);
  const warnings: string[] = [];
  const own = readDataFolder(config.dataDir);
  const outdated = outdatedWorkers(workers, config, own);
  if (outdated.length > 0)
    warnings.push(
      `These workers use other settings than ${config.file} (changed at ${changedAt(config.file)}): ${outdated.join(', ')}. Restart them. A worker that has ended counts for up to 90 s.`,
    );
  return versions === null ? warnings : [...warnings, ...versionWarnings(versions)];
}

/** Lists workers of this data folder that read the configuration file before its last change. */
function outdatedWorkers(workers: readonly WorkerSeen[], { fileHash }: Config, own: DataFolder | null): string[] {
  if (own === null) return [];
  const [folder, settings] = [shortId(own.id), shortId(fileHash)];
  return workers
    .filter((worker) => worker.folder === folder && worker.settings !== undefined && worker.settings !== settings)
    .map(({ name }) => name);
}

/** Whether a worker polls; true when the server does not list its pollers. */
export async function anyWorker(client: Client): Promise<boolean> {
  const { seenWorkers } = await import('../../temporal/crawl-workers.js');
  const workers = await seenWorkers(client).catch(() => null);
  return workers === null || workers.length > 0;
}

/** Asks a run for its data folder; undefined when no worker answers within 3 s. */
export async function folderOf(client: Client, workflowId: string): Promise<DataFolder | undefined> {
  const asked = client.connection.withDeadline(Date.now() + 3_000, async () =>
    client.workflow.getHandle(workflowId).query<Progress>('progress'),
  );
  return asked.then(
    ({ folder }) => folder,
    () => undefined,
  );
}
