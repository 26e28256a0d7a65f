import { Client, Connection, type WorkflowClientInterceptor } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { errorMessage, TidemarkError } from '../base/errors.js';
import { nameProxy } from '../base/network/proxies.js';
import { readDevServer } from './dev-server-state.js';
import { createGrpcRetries } from './grpc-retries.js';
import { findTemporalRoute, routeToTemporal } from './proxy.js';

const CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_ADDRESS = '127.0.0.1:7233';

/** Address of Temporal. `source` says where the address was found. */
export interface TemporalTarget {
  address: string;
  namespace: string;
  source: 'environment' | 'data folder' | 'default';
  /** URL of the web UI: `TIDEMARK_TEMPORAL_UI`, else that of the dev server; null if unknown. */
  ui: string | null;
  options: NativeConnectionOptions;
}

/** A connected client. `close` first waits for retries that are due (see grpc-retries.ts). */
export interface TemporalClient {
  client: Client;
  connection: Connection;
  target: TemporalTarget;
  close(): Promise<void>;
}

/**
 * Finds Temporal's address and credentials. Reads Temporal's environment configuration first (`TEMPORAL_ADDRESS`,
 * `TEMPORAL_NAMESPACE`, TLS, API key, `temporal.toml`). If this configuration has no address, uses the dev server that
 * `up` or `demo` started for this data folder. If there is none, uses 127.0.0.1:7233.
 * @throws TidemarkError `InvalidConfig` when the environment configuration cannot be read
 */
export function resolveTemporal(dataDir: string | null): TemporalTarget {
  const loaded = loadEnvironment();
  const namespace = loaded.namespace ?? 'default';
  const options = loaded.connectionOptions;
  const ui = process.env['TIDEMARK_TEMPORAL_UI'] || null;
  const server = dataDir === null ? null : readDevServer(dataDir);
  if (options.address) {
    // `up` and `demo` name the dev server of the data folder to their workers by TEMPORAL_ADDRESS.
    const its = server?.address === options.address ? (server.ui ?? null) : null;
    return { address: options.address, namespace, source: 'environment', ui: ui ?? its, options };
  }
  const address = server?.address ?? DEFAULT_ADDRESS;
  const source = server ? 'data folder' : 'default';
  return { address, namespace, source, ui: ui ?? server?.ui ?? null, options: { ...options, address } };
}

/** Returns the page of a run in the web UI; null if the UI is unknown. */
export function linkToRun({ ui, namespace }: TemporalTarget, workflowId: string, run: string): string | null {
  if (ui === null) return null;
  const place = ['namespaces', namespace, 'workflows', workflowId, run].map(encodeURIComponent).join('/');
  return `${ui.replace(/\/+$/, '')}/${place}/history`;
}

/**
 * Connects a client to Temporal.
 * @param tracing makes spans of the client's calls
 * @param withinMs time to wait for the first answer
 * @throws TidemarkError when Temporal does not answer in this time
 */
export async function connectTemporal(
  dataDir: string | null,
  tracing?: WorkflowClientInterceptor,
  withinMs: number = CONNECT_TIMEOUT_MS,
): Promise<TemporalClient> {
  const target = resolveTemporal(dataDir);
  const { tls, apiKey, metadata } = target.options;
  const { channelArgs } = routeToTemporal(target.address);
  const retries = createGrpcRetries();
  try {
    const connection = await Connection.connect({
      address: target.address,
      channelArgs,
      interceptors: retries.interceptors,
      connectTimeout: withinMs,
      ...(tls === undefined ? {} : { tls }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(metadata === undefined ? {} : { metadata }),
    });
    const client = new Client({
      connection,
      namespace: target.namespace,
      ...(tracing && { interceptors: { workflow: [tracing] } }),
    });
    const close = async (): Promise<void> => {
      await retries.settle();
      await connection.close();
    };
    return { client, connection, target, close };
  } catch (error) {
    throw temporalUnreachable(target, error);
  }
}

/** Makes the error for a Temporal server that does not answer. */
export function temporalUnreachable(target: TemporalTarget, cause: unknown): TidemarkError {
  const { proxy } = findTemporalRoute(target.address, process.env);
  const todo =
    proxy !== null
      ? 'Check the proxy. To reach Temporal directly, name its host in NO_PROXY.'
      : target.source === 'environment'
        ? 'Check TEMPORAL_ADDRESS and the TLS or API key settings. Or unset TEMPORAL_ADDRESS and run `tidemark up` for a local server.'
        : 'Start a Temporal server with `tidemark up` (or `npm run demo`), or set TEMPORAL_ADDRESS to your server.';
  const way = proxy === null ? '' : ` through the proxy ${nameProxy(proxy)}`;
  return new TidemarkError('Internal', `Temporal does not answer at ${target.address}${way}: ${errorMessage(cause)}.`, {
    todo,
    cause,
  });
}

function loadEnvironment(): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig();
  } catch (error) {
    throw new TidemarkError(
      'InvalidConfig',
      `Temporal's environment configuration cannot be read: ${errorMessage(error)}`,
      {
        todo: 'Correct the TEMPORAL_… variables or the file that TEMPORAL_CONFIG_FILE names.',
        cause: error,
      },
    );
  }
}
