import { createHmac } from 'node:crypto';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { verifyWebhook } from '../../../src/api/index.js';

const secret = 'a secret';
const sign = (bytes: Uint8Array, key = secret): string => createHmac('sha256', key).update(bytes).digest('hex');

describe('verifyWebhook', () => {
  it('accepts only bytes that the secret signed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (bytes, at) => {
        expect(verifyWebhook(bytes, sign(bytes), secret)).toBe(true);
        expect(verifyWebhook(bytes, sign(bytes).toUpperCase(), secret)).toBe(true);
        expect(verifyWebhook(bytes, sign(bytes, 'another'), secret)).toBe(false);
        const changed = bytes.slice();
        changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ 1;
        expect(verifyWebhook(changed, sign(bytes), secret)).toBe(false);
      }),
    );
  });

  it('accepts a signature made by openssl', () => {
    // printf '{"field":"company.name"}' | openssl dgst -sha256 -hmac 'a secret'
    const body = Buffer.from('{"field":"company.name"}');
    expect(verifyWebhook(body, 'd55bd8d15ae4425a44fd43f2f27729d862df26c924e8f64b498baa2076a9290a', secret)).toBe(true);
  });

  it.each([undefined, '', 'abc', 'z'.repeat(64), `${'a'.repeat(63)}é`])(
    'rejects the malformed signature %j',
    (signature) => {
      expect(verifyWebhook(Buffer.from('{}'), signature, secret)).toBe(false);
    },
  );

  it('rejects every signature with an empty secret', () => {
    const body = Buffer.from('{}');
    expect(verifyWebhook(body, sign(body, ''), '')).toBe(false);
  });
});
