import { NativeConnection, Runtime, type LogLevel } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { DataFolder } from '../../../schemas/pipeline/run.js';
import type { Config } from '../../config/config.js';
import { connectTemporal, temporalUnreachable, type TemporalTarget } from '../connect.js';
import { routeToTemporal } from '../proxy.js';
import { claimNamespace } from '../namespace-owner.js';
import { ensureSearchAttributes, namespaceError } from '../search-attributes.js';
import { hasDeployments } from '../versions.js';
import { isCrawling, type Role } from './worker-parts.js';

/** What a worker knows of its Temporal server before it connects. */
export interface CheckedTemporal {
  target: TemporalTarget;
  /** Names of the search attributes that show a run's state and that runs may set. */
  stateAttributes: string[];
  /** Whether the worker runs with a version. */
  versioned: boolean;
}

/**
 * Checks that the Temporal server answers, because the native client would retry for a long time and report less. Then
 * claims the namespace for the worker's data folder, and registers the search attributes, because every run would hang
 * without them.
 * @throws TidemarkError for an unreachable server, a missing namespace, a namespace of another data folder, or a refused
 * search attribute
 */
export async function checkTemporal(
  config: Config,
  folder: DataFolder,
  role: Role,
  log: Logger,
): Promise<CheckedTemporal> {
  const temporal = await connectTemporal(config.dataDir);
  const { client, target } = temporal;
  const { namespace } = target;
  try {
    const described = client.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
      throw namespaceError(namespace, error);
    });
    await claimNamespace(temporal, folder);
    // Only crawl workers run workflows.
    if (!isCrawling(role)) {
      await described;
      return { target, stateAttributes: [], versioned: false };
    }
    const [{ state, warning }, versioned] = await Promise.all([
      ensureSearchAttributes(temporal),
      hasDeployments(client),
      described,
    ]);
    if (warning !== null) log.warn(warning);
    if (!versioned)
      log.info(
        'This Temporal server has no Worker Deployments, or refuses access to them. The worker runs without a version.',
      );
    return { target, stateAttributes: state, versioned };
  } finally {
    await temporal.close();
  }
}

/**
 * Connects the worker.
 * @throws TidemarkError when the server does not answer
 */
export async function connectNative(target: TemporalTarget): Promise<NativeConnection> {
  const { native } = routeToTemporal(target.address);
  try {
    return await NativeConnection.connect({ ...native, ...target.options, address: target.address });
  } catch (error) {
    throw temporalUnreachable(target, error);
  }
}

/**
 * Starts the part of the SDK that all workers of a process share.
 * @param metricsAddress where the SDK serves its own metrics; null: nowhere
 */
export function installRuntime(log: Logger, metricsAddress: string | null): void {
  const level = (name: LogLevel) => (message: string, meta?: Record<string, unknown>) => {
    const method =
      name === 'TRACE'
        ? 'trace'
        : name === 'DEBUG'
          ? 'debug'
          : name === 'INFO'
            ? 'info'
            : name === 'WARN'
              ? 'warn'
              : 'error';
    log[method](meta ?? {}, message);
  };
  Runtime.install({
    logger: {
      log: (name: LogLevel, message, meta) => level(name)(message, meta),
      trace: level('TRACE'),
      debug: level('DEBUG'),
      info: level('INFO'),
      warn: level('WARN'),
      error: level('ERROR'),
    },
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsAddress === null
        ? {}
        : {
            metrics: {
              prometheus: {
                bindAddress: metricsAddress,
                countersTotalSuffix: true,
                unitSuffix: true,
                useSecondsForDurations: true,
              },
              attachServiceName: false,
            },
          }),
    },
    // The command already handles signals. With a second handler, the worker would shut down twice.
    shutdownSignals: [],
  });
}
