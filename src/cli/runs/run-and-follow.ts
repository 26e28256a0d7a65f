import { runFailure } from '../../temporal/failure.js';
import type { FolderClient } from '../../temporal/connect-folder.js';
import { followRun } from '../../temporal/runs/follow-run.js';
import { startOrJoin, type RunRequest } from '../../temporal/runs/start-run.js';
import { createProgressView } from '../terminal/view.js';
import type { Refusal } from '../../../schemas/pipeline/refusal.js';
import type { RunResult } from '../../../schemas/pipeline/run.js';
import type { CliContext } from '../context.js';
import { INTERRUPTED, interruptSignal } from '../terminal/interrupt.js';
import { connectTraced } from '../connect-traced.js';
import { anyWorker, folderOf, otherFolder, workerWarnings } from '../status/other-folder.js';
import { FAILED } from '../terminal/print-error.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { renderResult } from './render-result.js';

/** How a command follows its run and reports the result. */
export interface FollowOptions {
  wait: boolean;
  json: boolean;
  /** True: exit with 1 also when the outcome of the run is partial. */
  strict: boolean;
  /** Command line that follows the same run again; messages show it. */
  again: string;
  /**
   * Does the command's own work after the run, and returns more fields for the output of `--json`. `sameFolder` is true
   * if the run used this command's data folder.
   */
  also?: (sameFolder: boolean) => Promise<object>;
}

/**
 * Starts or joins a run, follows it and sets the exit code from its result. Ctrl-C stops following; the run continues.
 * @returns The result; null when the command does not wait for it
 */
export async function runAndFollow(
  { config }: CliContext,
  request: RunRequest,
  options: FollowOptions,
): Promise<RunResult | null> {
  const temporal = await connectTraced(config);
  try {
    for (const warning of await workerWarnings(temporal.client, config)) tell(`! ${warning}`);
    if (!options.wait) {
      const started = await startOrJoin(temporal.client, request, temporal.folder);
      const { workflowId } = started.handle;
      if (options.json) sayJson({ workflowId, joined: started.joined });
      else say(`${started.joined ? 'Already running' : 'Started'}: ${workflowId}. Follow it with: ${options.again}`);
      if (!(await anyWorker(temporal.client))) tell('! No worker is running. Start one with `tidemark worker`.');
      return null;
    }
    const interrupted = interruptSignal();
    const result = await followToEnd(temporal, request, { json: options.json, interrupted, dataDir: config.dataDir });
    if (result === null) {
      tell(`The run continues. Follow it again with: ${options.again}`);
      process.exitCode = INTERRUPTED;
      return null;
    }
    const other = otherFolder(result.folder, config.dataDir);
    if (options.json && other !== null) tell(`! ${other}`);
    const also = (await options.also?.(other === null)) ?? {};
    if (options.json) sayJson({ workflowId: request.workflowId, ...result, sameFolder: other === null, ...also });
    else say(renderResult(request.workflowId, result, config.dataDir));
    if (isUnsuccessful(result, options.strict)) process.exitCode = FAILED;
    return result;
  } finally {
    await temporal.close();
  }
}

/**
 * True when the command must exit with 1:
 * - the market is incomplete or held back
 * - the run was stopped
 * - a stream was refused, unless the run can do without it (`canDoWithout`)
 * - with `strict`: the run is partial for any reason
 */
function isUnsuccessful(result: RunResult, strict: boolean): boolean {
  return (
    result.incomplete ||
    result.refused.some((refusal) => !canDoWithout(refusal)) ||
    result.heldBack !== null ||
    result.outcome === 'stopped' ||
    (strict && result.outcome !== 'complete')
  );
}

/** Whether a refusal leaves the run complete: it concerns lookup lists or metrics, or another route gave the records. */
function canDoWithout({ stream, replacedBy }: Refusal): boolean {
  return stream === 'nomenclatures' || stream === 'contact_metrics' || replacedBy !== undefined;
}

/**
 * Starts or joins a run and shows its progress until it ends; null when interrupted.
 * @throws TidemarkError when the run failed, with the reason
 */
export async function followToEnd<Result = RunResult>(
  temporal: FolderClient,
  request: RunRequest,
  options: { json: boolean; interrupted: AbortSignal; dataDir: string; title?: string },
): Promise<Result | null> {
  const { handle, joined, startedAt } = await startOrJoin(temporal.client, request, temporal.folder);
  if (joined && !options.json) tell(`${handle.workflowId} is already running. Following it.`);
  const view = options.json ? null : createProgressView(options.title ?? request.summary);
  try {
    const { interrupted } = options;
    const followed = await followRun<Result>(temporal.client, handle, view, { startedAt, interrupted });
    return followed?.result ?? null;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'WorkflowFailedError')) throw error;
    const other = otherFolder(await folderOf(temporal.client, handle.workflowId), options.dataDir);
    if (other !== null) tell(`! ${other}`);
    throw runFailure(error, handle.workflowId);
  }
}
