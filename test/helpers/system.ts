import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startDataPlace } from './data-place.js';
import { tidemarkIn, type CliResult } from './run-cli.js';
import type { RunningProcess } from './processes.js';
import { makeProject, type Project } from './project.js';
import { startTarget, type MarketOptions, type Target } from './target.js';
import { startTemporal } from './temporal.js';

export interface SystemOptions {
  market: MarketOptions;
  /** Overrides of `makeProject`'s configuration; `api.baseUrl` is set. */
  config?: { api?: object; [section: string]: unknown };
  /** As of `makeProject`. */
  ownerPollSeconds?: number;
  /** Environment of the worker; null starts none. */
  worker?: Record<string, string> | null;
  /** More arguments of the Temporal dev server. */
  serverArgs?: readonly string[];
}

/** Everything Tidemark needs: Temporal server, API, project and worker. */
export interface System {
  temporal: TestWorkflowEnvironment;
  api: Target;
  project: Project;
  /** The worker started last. */
  worker: RunningProcess;
  startWorker(env?: Record<string, string>): Promise<RunningProcess>;
  /** Starts a workflow. */
  start(type: string, workflowId: string, input?: object): Promise<WorkflowHandle>;
  /** Starts a workflow and waits for its result. */
  run(type: string, workflowId: string, input?: object): Promise<RunResult>;
  /** Runs `tidemark …` in the project's folder. */
  tidemark(...args: string[]): Promise<CliResult>;
  /** Runs `tidemark …` with additional environment variables. */
  tidemarkWith(env: Record<string, string>, ...args: string[]): Promise<CliResult>;
  /** Adds a project with the same API and Temporal server. */
  addProject(config?: SystemOptions['config'], namespace?: string, env?: Record<string, string>): Project;
  stop(): Promise<void>;
}

export async function startSystem({
  market,
  config,
  worker: workerEnv = {},
  serverArgs,
  ownerPollSeconds,
}: SystemOptions): Promise<System> {
  const cleanups: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  };
  const [temporal, api] = await startBoth(market, serverArgs);
  cleanups.push(
    () => temporal.teardown(),
    () => api.stop(),
  );
  const place = await startDataPlace();
  cleanups.unshift(() => place.stop());
  const addProject = (
    settings: SystemOptions['config'] = {},
    namespace?: string,
    env?: Record<string, string>,
  ): Project => {
    const project = makeProject({
      api,
      temporal: temporal.address,
      ownerPollSeconds,
      ...(namespace !== undefined && { namespace }),
      ...place.withData({
        config: { ...settings, api: { baseUrl: api.url, ...settings.api } },
        ...(env !== undefined && { env }),
      }),
    });
    cleanups.unshift(() => project.remove());
    return project;
  };
  const system: System = {
    temporal,
    api,
    project: addProject(config),
    worker: undefined as unknown as RunningProcess,
    async startWorker(env = {}) {
      system.worker = await system.project.startWorker(env);
      const started = system.worker;
      cleanups.push(() => started.stop());
      return started;
    },
    start: (type, workflowId, input = {}) =>
      temporal.client.workflow.start(type, { taskQueue: 'tidemark-crawl', workflowId, args: [input] }),
    run: async (type, workflowId, input = {}) =>
      (await (await system.start(type, workflowId, input)).result()) as RunResult,
    tidemark: (...args) => system.tidemarkWith({}, ...args),
    tidemarkWith: (env, ...args) => tidemarkIn(system.project, args, env),
    addProject,
    stop,
  };
  try {
    if (workerEnv !== null) await system.startWorker(workerEnv);
  } catch (error) {
    await stop();
    throw error;
  }
  return system;
}

/** Starts both or neither: stops the one that started if the other failed. */
async function startBoth(
  market: MarketOptions,
  serverArgs?: readonly string[],
): Promise<[TestWorkflowEnvironment, Target]> {
  const [temporal, api] = await Promise.allSettled([startTemporal(serverArgs), startTarget(market)]);
  if (temporal.status === 'fulfilled' && api.status === 'fulfilled') return [temporal.value, api.value];
  if (temporal.status === 'fulfilled') await temporal.value.teardown();
  if (api.status === 'fulfilled') await api.value.stop();
  throw temporal.status === 'rejected' ? temporal.reason : (api as PromiseRejectedResult).reason;
}
