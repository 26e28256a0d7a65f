import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether a webhook delivery is the API's (reference v2, section "Events"): `signature` is the `X-SVC-Signature` header,
 * hex HMAC-SHA256 over the exact bytes received, keyed with the callback's secret. Compared in constant time. A missing
 * or malformed signature and an empty secret are false, never an error.
 */
export function verifyWebhook(rawBody: Uint8Array, signature: string | undefined, secret: string): boolean {
  if (secret === '' || signature === undefined || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}
