import { TokenVerificationError, ApiError, type ApiClient } from '../../api/index.js';
import type { Clock } from '../../base/time/clock.js';
import { checkKey, type Config } from '../../config/config.js';
import { TidemarkError } from '../../base/errors.js';
import { rememberSecret } from '../../config/secrets.js';
import { openApi } from '../api.js';

/**
 * Checks an API key before it is stored. The API decides (`/v2/metrics`), because commands and workers send the key there.
 *
 * The connector's answer decides nothing. The reference shows no answer of `/api/verify-token` (v1, "Connector
 * application"), and an address without a connector may answer each of its routes with a wrong-key error.
 * @throws TidemarkError `Unauthorized` when the API refuses the API key
 */
export async function verifyKey(config: Config, clock: Clock, key: string): Promise<void> {
  rememberSecret(key);
  checkKey(key, 'the sign-in');
  const api = openApi(config, clock, { apiKey: key });
  try {
    if (!(await api.call(askApi))) throw refused(config.api.baseUrl);
  } finally {
    await api.close();
  }
}

/**
 * Asks the connector about an API key that the API accepts (`/api/verify-token`).
 * @returns a warning when the connector refuses the API key; null when it accepts the key or does not say
 */
export async function connectorWarning(config: Config, clock: Clock, key: string): Promise<string | null> {
  const api = openApi(config, clock, { apiKey: key });
  try {
    if ((await api.call(askConnector)) !== false) return null;
  } finally {
    await api.close();
  }
  const address = config.api.connectorUrl ?? config.api.baseUrl;
  return `The connector at ${address} does not accept this API key, or there is no connector. Only \`tidemark doctor --connector\` and your own calls of \`client.connector\` need it.`;
}

/** Whether the connector accepts the API key; null if its answer does not say. */
async function askConnector(client: ApiClient): Promise<boolean | null> {
  try {
    const { data } = await client.connector.verifyToken();
    return data.fits ? data.value.valid : null;
  } catch (error) {
    if (error instanceof TokenVerificationError) return false;
    // A connector without this route, or one that does not answer, says nothing about the API key.
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Whether the API accepts the API key. Also true if the API key only lacks the permission to read the usage. */
async function askApi(client: ApiClient): Promise<boolean> {
  try {
    await client.v2.metrics();
    return true;
  } catch (error) {
    if (error instanceof TokenVerificationError) return false;
    if (error instanceof ApiError && error.name === 'PermissionDeniedError') return true;
    throw error;
  }
}

function refused(address: string): TidemarkError {
  return new TidemarkError('Unauthorized', `${address} refuses the API key, so it was not stored.`, {
    todo: 'Copy the API key again, and check the addresses in `api` of tidemark.yaml. Then run `tidemark login` again.',
  });
}
