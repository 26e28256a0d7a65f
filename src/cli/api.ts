import {
  ApiError,
  createApiClient,
  InvalidRequestError,
  isRefusal,
  TokenVerificationError,
  TransportError,
  type ApiClient,
  type AttemptReport,
} from '../api/index.js';
import type { Clock } from '../base/time/clock.js';
import type { Config } from '../config/config.js';
import { TidemarkError } from '../base/errors.js';
import { findApiKey } from '../config/stored-key.js';
import { proxyRemedy } from '../base/network/tunnel.js';
import { tell } from './terminal/print.js';
import { refuseOtherSandbox, sandboxToAsk } from './running-sandbox.js';

/** The API for commands: few requests, short timeouts, errors with a remedy. */
export interface CommandApi {
  /** @throws TidemarkError for every error of the API or the network */
  call<T>(work: (client: ApiClient) => Promise<T>): Promise<T>;
  /** Address that is asked: the one of the configuration, or of a local sandbox. */
  readonly baseUrl: string;
  readonly connectorUrl: string;
  close(): Promise<void>;
}

/** Options of `openApi`. */
export interface CommandApiOptions {
  onAttempt?: (attempt: AttemptReport) => void;
  /** An API key to try. Default: the API key in use. */
  apiKey?: string;
}

/**
 * Opens an API client with the address from the configuration and the API key in use (`findApiKey`). If a local sandbox
 * runs for the data folder, uses this sandbox instead and prints a note.
 * @throws TidemarkError `InvalidConfig` without an API key; `ApiUnavailable` if the folder's sandbox does not run
 */
export function openApi(config: Config, clock: Clock, { onAttempt, apiKey }: CommandApiOptions = {}): CommandApi {
  if (apiKey === undefined) refuseOtherSandbox(config);
  const sandbox = apiKey === undefined ? sandboxToAsk(config) : null;
  if (sandbox !== null) sayOnce(`Asking the sandbox that \`demo\` or \`up\` runs for this data folder: ${sandbox.url}`);
  const baseUrl = sandbox?.url ?? config.api.baseUrl;
  const connectorUrl = (sandbox === null ? config.api.connectorUrl : undefined) ?? baseUrl;
  const client = createApiClient({
    baseUrl,
    connectorUrl,
    allowHttp: config.api.allowHttp,
    apiKey: apiKey ?? sandbox?.key ?? findApiKey(config),
    maxConcurrency: config.api.maxConcurrency,
    // A person waits for the command, so allow at most 15 s for each request, and two retries.
    timeoutMs: Math.min(config.api.timeout, 15) * 1_000,
    maxRetries: 2,
    now: () => clock.now(),
    ...(onAttempt === undefined ? {} : { onAttempt }),
    ...(config.api.requestsPerSecond === undefined ? {} : { requestsPerSecond: config.api.requestsPerSecond }),
  });
  return {
    baseUrl,
    connectorUrl,
    async call(work) {
      try {
        return await work(client);
      } catch (error) {
        throw describeApiError(error, baseUrl);
      }
    },
    close: () => client.close(),
  };
}

const said = new Set<string>();

/** Prints a note for people. A command that opens several clients prints it only once. */
function sayOnce(text: string): void {
  if (!said.has(text)) tell(text);
  said.add(text);
}

/** Converts an error of the API client into a TidemarkError with a remedy; returns any other error unchanged. */
export function describeApiError(error: unknown, baseUrl: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const added = addedPart(baseUrl);
  if (error.status !== 0 && added !== null)
    return new TidemarkError(
      error instanceof TokenVerificationError ? 'Unauthorized' : 'ApiUnavailable',
      `${baseUrl}: ${error.message}`,
      {
        todo: `Remove ${added} from the end of the address (api.baseUrl or TIDEMARK_API_URL): Tidemark adds it to each request.`,
        cause: error,
      },
    );
  if (error instanceof TokenVerificationError) {
    return new TidemarkError('Unauthorized', `The API at ${baseUrl} refuses the API key.`, {
      todo: 'Check TIDEMARK_API_KEY or the file that TIDEMARK_API_KEY_FILE names, or run `tidemark login` again. Also check the address in api.baseUrl.',
      cause: error,
    });
  }
  return new TidemarkError('ApiUnavailable', `${baseUrl}: ${error.message}`, { todo: remedyFor(error), cause: error });
}

/** Returns the part at the end of an address that Tidemark adds itself, such as `/v2`; null without one. */
function addedPart(baseUrl: string): string | null {
  return /(\/v1\/finder|\/v[12])\/*$/i.exec(baseUrl)?.[1] ?? null;
}

function remedyFor(error: ApiError): string {
  const proxyTodo = error instanceof TransportError ? proxyRemedy(error.code) : null;
  if (proxyTodo !== null) return proxyTodo;
  if (error.status === 0)
    return 'Check api.baseUrl, and check that this machine can reach the API. To start the sandbox, run `tidemark sandbox`.';
  if (isRefusal(error)) return 'Ask the issuer of the API key for the permission, then run the command again.';
  if (error instanceof InvalidRequestError)
    return 'A repetition would fail again. Check the arguments of the command and the filters in tidemark.yaml.';
  return 'Try again later; `tidemark doctor` shows more.';
}
