import { TokenVerificationError, ApiError, type ApiClient } from '../../api-client/index.js';
import type { Clock } from '../../core/clock.js';
import { checkKey, type Config } from '../../core/config.js';
import { TidemarkError } from '../../core/errors.js';
import { rememberSecret } from '../../core/secrets.js';
import { openApi } from '../api.js';

/**
 * Checks an API key before it is stored: calls the connector (`/api/verify-token`), then the API (`/v2/metrics`). If
 * the connector does not say whether the API key is valid, the API decides.
 * @throws TidemarkError `Unauthorized` when one of them refuses the API key
 */
export async function verifyKey(config: Config, clock: Clock, key: string): Promise<void> {
  rememberSecret(key);
  checkKey(key, 'the sign-in');
  const api = openApi(config, clock, { apiKey: key });
  try {
    if ((await api.call(askConnector)) === false) throw refused(config.api.connectorUrl ?? config.api.baseUrl);
    if (!(await api.call(askApi))) throw refused(config.api.baseUrl);
  } finally {
    await api.close();
  }
}

/**
 * Checks an API key at the API alone (`/v2/metrics`), for a person who has a key and may have no connector. An address
 * without a connector may answer every route of the connector with a wrong-key error.
 * @throws TidemarkError `Unauthorized` when the API refuses the API key
 */
export async function verifyAtApi(config: Config, clock: Clock, key: string): Promise<void> {
  rememberSecret(key);
  const api = openApi(config, clock, { apiKey: key });
  try {
    if (!(await api.call(askApi))) throw refused(config.api.baseUrl);
  } finally {
    await api.close();
  }
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
