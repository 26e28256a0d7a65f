import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { errorMessage, TidemarkError } from '../core/errors.js';
import { readDevServer } from './dev-server-state.js';
import { createGrpcRetries } from './grpc-retries.js';

const CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_ADDRESS = '127.0.0.1:7233';

/** Where Temporal is, and how that is known. */
export interface TemporalTarget {
  address: string;
  namespace: string;
  source: 'environment' | 'data folder' | 'default';
  /** Web UI, where it is known. */
  ui: string | null;
  options: NativeConnectionOptions;
}

export interface TemporalClient {
  client: Client;
  connection: Connection;
  target: TemporalTarget;
  close(): Promise<void>;
}

/**
 * Temporal's address and credentials: its own environment configuration (`TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`,
 * TLS, API key, `temporal.toml`); without an address there, the dev server `up` or `demo` started for this data
 * folder; else the default port here.
 * @throws TidemarkError `InvalidConfig` when the environment configuration cannot be read
 */
export function resolveTemporal(dataDir: string | null): TemporalTarget {
  const loaded = loadEnvironment();
  const namespace = loaded.namespace ?? 'default';
  const options = loaded.connectionOptions;
  if (options.address) return { address: options.address, namespace, source: 'environment', ui: null, options };
  const server = dataDir === null ? null : readDevServer(dataDir);
  const address = server?.address ?? DEFAULT_ADDRESS;
  const source = server ? 'data folder' : 'default';
  return { address, namespace, source, ui: server?.ui ?? null, options: { ...options, address } };
}

/**
 * A connected client.
 * @throws TidemarkError when Temporal does not answer within five seconds
 */
export async function connectTemporal(dataDir: string | null): Promise<TemporalClient> {
  const target = resolveTemporal(dataDir);
  const { tls, apiKey, metadata } = target.options;
  const retries = createGrpcRetries();
  try {
    const connection = await Connection.connect({
      address: target.address,
      interceptors: retries.interceptors,
      connectTimeout: CONNECT_TIMEOUT_MS,
      ...(tls === undefined ? {} : { tls }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(metadata === undefined ? {} : { metadata }),
    });
    const client = new Client({ connection, namespace: target.namespace });
    const close = async (): Promise<void> => {
      await retries.settle();
      await connection.close();
    };
    return { client, connection, target, close };
  } catch (error) {
    throw temporalUnreachable(target, error);
  }
}

/** The one message for a Temporal that cannot be talked to. */
export function temporalUnreachable(target: TemporalTarget, cause: unknown): TidemarkError {
  const todo =
    target.source === 'environment'
      ? 'Check TEMPORAL_ADDRESS and the TLS or API key settings. Or unset it and run `tidemark up` for a local server.'
      : 'Start a Temporal server with `tidemark up` (or `npm run demo`), or set TEMPORAL_ADDRESS to your server.';
  return new TidemarkError('Internal', `Temporal does not answer at ${target.address}: ${errorMessage(cause)}.`, {
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
