import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/**
 * Returns the content security policy of a page. Scripts, styles, images and data come from this server only. The editor
 * adds style elements while it runs; they carry `nonce`.
 */
export function contentPolicy(nonce?: string): string {
  const own = nonce === undefined ? '' : ` 'nonce-${nonce}'`;
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'${own}`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types default`,
  ].join('; ');
}

/** Makes a value for one page. */
export function newNonce(): string {
  return randomBytes(16).toString('base64');
}

/** Adds the headers that every answer has. */
export function secureHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_, reply) => {
    void reply.headers({
      'content-security-policy': contentPolicy(),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
  });
}
