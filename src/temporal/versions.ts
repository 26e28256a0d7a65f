import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { liveBuilds } from './crawl-workers.js';
import { describeOpen, type OpenWorkflows } from './describe-open.js';
import { FAILED_PRECONDITION, INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED } from './grpc-status.js';

/*
 * Worker versions of the Temporal deployment "tidemark". A version is a build of the workflows; its id is the hash of
 * the workflow bundle. Null stands for workers without a version.
 */

/** Name of the deployment that all crawl workers of a namespace share. */
export const DEPLOYMENT = 'tidemark';

/** Id of a build, or null for workers without a version. */
export type Build = string | null;

/** State of the deployment on the server. */
export interface Deployment {
  /** The version that gets new runs; null: workers without a version. */
  current: Build;
  /** Versions that the server knows. `replaced`: was current before and is not now. Newest first. */
  versions: { build: string; replaced: boolean }[];
}

/** A running workflow that only workers of one version may continue. */
export interface PinnedRun {
  workflowId: string;
  build: string;
}

/** The deployment, its live workers, and the runs whose version has no worker. */
export interface VersionState extends Deployment {
  /** Versions with a worker that polled recently. */
  live: ReadonlySet<Build>;
  pinned: PinnedRun[];
  stranded: PinnedRun[];
}

// temporal.api.enums.v1.VersioningBehavior
const PINNED = 1;

/**
 * Reads the state of the deployment; null when the server has no Worker Deployments or refuses to show them.
 * @throws ServiceError when the server does not answer
 */
export async function readDeployment(client: Client): Promise<Deployment | null> {
  try {
    const { workerDeploymentInfo: info } = await client.workflowService.describeWorkerDeployment({
      namespace: client.options.namespace,
      deploymentName: DEPLOYMENT,
    });
    const current = info?.routingConfig?.currentDeploymentVersion?.buildId || null;
    const versions = (info?.versionSummaries ?? []).map(({ deploymentVersion, firstActivationTime }) => {
      const build = deploymentVersion?.buildId ?? '';
      return { build, replaced: build !== current && Boolean(firstActivationTime) };
    });
    return { current, versions };
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === NOT_FOUND) return { current: null, versions: [] };
    if ([UNIMPLEMENTED, PERMISSION_DENIED, FAILED_PRECONDITION, INVALID_ARGUMENT].includes(code ?? 0)) return null;
    throw error;
  }
}

/**
 * Returns whether the server has Worker Deployments and gives access to them. Lists them instead of reading Tidemark's
 * own, because a server logs an error when that one does not exist yet.
 * @throws ServiceError when the server does not answer
 */
export async function hasDeployments(client: Client): Promise<boolean> {
  try {
    await client.workflowService.listWorkerDeployments({ namespace: client.options.namespace, pageSize: 1 });
    return true;
  } catch {
    // Some servers do not allow clients to list deployments. So read our own. A server without Worker Deployments
    // answers "not found", so only a deployment that is found proves that the server has them.
    const deployment = await readDeployment(client);
    return deployment !== null && deployment.versions.length > 0;
  }
}

/**
 * Reads the deployment, its live workers and the runs that are pinned to a version; null as in `readDeployment`.
 * @param open the open workflows, if the caller has described them
 * @throws ServiceError when the server does not answer
 */
export async function readVersions(client: Client, open?: Promise<OpenWorkflows>): Promise<VersionState | null> {
  const [deployment, live, found] = await Promise.all([
    readDeployment(client),
    liveBuilds(client),
    open ?? describeOpen(client),
  ]);
  if (deployment === null) return null;
  const pinned = pinnedRuns(found);
  return { ...deployment, live, pinned, stranded: pinned.filter(({ build }) => !live.has(build)) };
}

function pinnedRuns(open: OpenWorkflows): PinnedRun[] {
  const found: PinnedRun[] = [];
  for (const description of open) {
    const pinnedTo = pinnedBuild(description);
    if (pinnedTo) found.push({ workflowId: description.workflowId, build: pinnedTo });
  }
  return found;
}

/** Returns the build to which a running workflow is pinned; null if it is not pinned or has ended. */
export function pinnedBuild({ status, raw }: WorkflowExecutionDescription): string | null {
  const info = status.name === 'RUNNING' ? raw.workflowExecutionInfo?.versioningInfo : null;
  const override = info?.versioningOverride;
  if (override) return override.pinned?.version?.buildId || null;
  return Number(info?.behavior) === PINNED ? info?.deploymentVersion?.buildId || null : null;
}

/**
 * Decides whether a build becomes current. Pure function.
 * - A build that was never current becomes current: it was installed last.
 * - A build that another one replaced becomes current again only when the current build has no worker. So a restarted
 *   worker of the old build does not undo an upgrade, but a deliberate downgrade works.
 */
export function shouldPromote(build: Build, { current, versions }: Deployment, live: ReadonlySet<Build>): boolean {
  if (build === current) return false;
  const isNew = build !== null && !versions.some((one) => one.build === build && one.replaced);
  return isNew || !live.has(current);
}

/**
 * Makes a build current: new runs start on it, and runs that may change their version continue on it.
 * @throws ServiceError when the server refuses, for example before a worker of the build has polled
 */
export async function promote(client: Client, build: Build): Promise<void> {
  await client.workflowService.setWorkerDeploymentCurrentVersion({
    namespace: client.options.namespace,
    deploymentName: DEPLOYMENT,
    buildId: build ?? '',
    ignoreMissingTaskQueues: true,
  });
}

/**
 * Terminates a run whose version has no worker: such a run can obey no signal.
 * @returns false, and does nothing, if the run is not pinned or its version has a worker
 * @throws ServiceError when the server does not answer
 */
export async function endStranded(client: Client, run: WorkflowHandle): Promise<boolean> {
  const build = pinnedBuild(await run.describe());
  if (build === null || (await liveBuilds(client)).has(build)) return false;
  await run.terminate(`stopped by an operator: ${nameOf(build)} has no worker`);
  return true;
}

/** Returns sentences for an operator: why open or new runs cannot continue, and what to do. Pure function. */
export function versionWarnings({ current, live, stranded }: VersionState): string[] {
  const remedy = '`tidemark workers promote`';
  const absent =
    live.size > 0 && !live.has(current)
      ? [
          `New runs wait: they start on ${nameOf(current)}, which has no worker. A worker with \`worker.versioning: auto\` takes over within 2 minutes. Otherwise run ${remedy}.`,
        ]
      : [];
  const waiting = stranded.map(
    ({ workflowId, build }) =>
      `${workflowId} waits: it is pinned to ${nameOf(build)}, which has no worker. Start a worker of that version, or end the run: \`tidemark stop --run ${workflowId}\`.`,
  );
  return [...absent, ...waiting];
}

/** Names a build for people: `version 1a2b3c4d`. */
export function nameOf(build: Build): string {
  return build === null ? 'workers without a version' : `version ${build}`;
}
