import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns whether the API signed a webhook delivery (reference v2, section "Events"). Compares the signatures in
 * constant time.
 * @param rawBody the exact bytes received
 * @param signature the `X-SVC-Signature` header: hex HMAC-SHA256 over `rawBody`, keyed with the callback's secret
 * @returns false for a missing or malformed signature and for an empty secret; never throws
 */
export function verifyWebhook(rawBody: Uint8Array, signature: string | undefined, secret: string): boolean {
  if (secret === '' || signature === undefined || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}
