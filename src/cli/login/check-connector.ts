import { randomBytes } from 'node:crypto';
import { ApiError } from '../../api/index.js';
import type { Clock } from '../../base/time/clock.js';
import type { Config } from '../../config/config.js';
import { TidemarkError } from '../../base/errors.js';
import { openApi } from '../api.js';

/**
 * Checks the connector before a browser opens. Its address must use https or be on this machine, and a server must
 * answer there.
 * @throws TidemarkError `InvalidConfig` for plain http to another machine, `ApiUnavailable` when nothing answers
 */
export async function checkConnector(config: Config, clock: Clock): Promise<void> {
  // Use a random API key: the health check needs none, but the client does not start without one.
  const api = openApi(config, clock, { apiKey: randomBytes(16).toString('hex') });
  const connectorUrl = config.api.connectorUrl ?? config.api.baseUrl;
  try {
    await api.call(async (client) => {
      try {
        await client.connector.health();
      } catch (error) {
        // Accept any answer, because the reference does not show the answer of a working connector.
        if (!(error instanceof ApiError) || error.status !== 0) return;
        throw new TidemarkError(
          'ApiUnavailable',
          `The connector at ${connectorUrl} does not answer: ${error.message}`,
          {
            todo: 'Check api.connectorUrl (default: api.baseUrl), and check that this machine can reach it.',
            cause: error,
          },
        );
      }
    });
  } finally {
    await api.close();
  }
}
