import { request } from 'undici';
import { connectToAny } from '../../base/network/connections.js';
import { readDecoded } from '../../base/network/content-coding.js';
import type { Message } from './message.js';
import { renderPayload, type Template } from './payloads.js';
import { describeNetworkError, TargetError } from './target-error.js';
import { HOUR_MS } from '../../base/time/time.js';

/** A web service that takes messages. */
export interface Webhook {
  address: URL;
  template: Template;
  /** Header that carries the secret; null when there is no secret. */
  secret: { header: string; value: string } | null;
  timeoutMs: number;
}

// Longest part of an answer that an error quotes.
const QUOTED = 200;
const MOST_BYTES = 64 * 1024;
const LONGEST_WAIT_MS = HOUR_MS;

/**
 * Posts a message, through the proxy of the environment. Follows no redirect.
 * @throws TargetError when the answer is not 2xx or does not come in time
 */
export async function sendWebhook({ address, template, secret, timeoutMs }: Webhook, message: Message): Promise<void> {
  const agent = connectToAny({ connectMs: timeoutMs, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const { statusCode, headers, body } = await request(address, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'tidemark',
        'idempotency-key': message.key,
        ...(secret === null ? {} : { [secret.header]: secret.value }),
      },
      body: JSON.stringify(renderPayload(template, message)),
      signal: AbortSignal.timeout(timeoutMs),
    });
    // The status says that the target accepted the message, so a body that breaks off is no failure.
    const text = await readDecoded(body, headers['content-encoding'], MOST_BYTES).then(String, () => '');
    if (statusCode >= 200 && statusCode < 300) return;
    throw refused(address, statusCode, text, headers['retry-after']);
  } catch (error) {
    throw error instanceof TargetError ? error : describeNetworkError(address.host, error);
  } finally {
    await agent.destroy();
  }
}

function refused(address: URL, status: number, text: string, retryAfter: string | string[] | undefined): TargetError {
  const quoted = text.trim().replaceAll(/\s+/g, ' ').slice(0, QUOTED);
  return new TargetError(`${address.host} answered ${status}${quoted === '' ? '' : `: ${quoted}`}.`, {
    todo: remedyOf(status),
    retryAfterMs: waitOf(retryAfter),
  });
}

function remedyOf(status: number): string {
  if (status === 401 || status === 403) return 'Check the address and the secret of the target.';
  if (status === 404 || status === 410) return 'Check the address of the target; it may have been removed.';
  if (status >= 300 && status < 400)
    return 'The address redirects, but Tidemark follows no redirect. Write the final address.';
  if (status === 429) return 'The target takes no more messages now. Tidemark tries again.';
  if (status >= 500) return 'The target has a fault. Tidemark tries again.';
  return 'Check the address and `template` of the target.';
}

/** Reads `Retry-After` in seconds, at most an hour. */
function waitOf(header: string | string[] | undefined): number | null {
  const seconds = typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : null;
  return seconds === null ? null : Math.min(LONGEST_WAIT_MS, Math.max(1_000, seconds * 1_000));
}
