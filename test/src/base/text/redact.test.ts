import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../../src/base/text/redact.js';

const KEY = String.raw`k3y-"7f&3a"/9+c2=d4_e6.~?live\0*1(2)`;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');

/** Spellings of a secret, each with its reader. */
const SPELLINGS: Record<string, (text: string) => string> = {
  plain: (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON with escaped slashes': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  URL: encodeURIComponent,
  hex,
  'hex in capitals': (text) => hex(text).toUpperCase(),
};

const key = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 16,
  maxLength: 60,
});

describe('createRedactor', () => {
  it.each(Object.entries(SPELLINGS))('redacts a key in its %s spelling, and nothing else', (_name, spell) => {
    fc.assert(
      fc.property(key, (secret) => {
        const redactor = createRedactor(secret);
        const said = `«${spell(secret)}» «${spell(secret)}»`;
        expect([redactor.text(said), redactor.data(said)]).toEqual(Array(2).fill('«[redacted]» «[redacted]»'));
      }),
    );
  });

  it.each(['base64', 'base64url'] as const)('redacts a key in %s after any text', (alphabet) => {
    fc.assert(
      fc.property(key, fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 }), (secret, before, after) => {
        const said = Buffer.from(`${before}${secret}${after}`).toString(alphabet);
        const [head = '', tail = ''] = createRedactor(secret).data(said).split('[redacted]');
        const bytes = Buffer.byteLength(before);
        // Only letters that also hold bits of the text around the key may remain.
        expect(head.length).toBeLessThanOrEqual(Math.ceil((bytes * 8) / 6));
        expect(said.length - tail.length).toBeGreaterThanOrEqual(Math.floor(((bytes + secret.length) * 8) / 6));
      }),
    );
  });

  it('keeps the text around the key, so JSON stays valid', () => {
    const other = fc.string({ unit: 'binary', maxLength: 8 });
    fc.assert(
      fc.property(key, other, other, (secret, before, after) => {
        const body = JSON.stringify({ a: `"${before}" ${secret}"${after}"`, b: before });
        expect(JSON.parse(createRedactor(secret).data(body))).toEqual({
          a: `"${before}" [redacted]"${after}"`,
          b: before,
        });
      }),
    );
  });

  it('changes no text that does not hold the key', () => {
    fc.assert(
      fc.property(key, fc.string({ unit: 'binary', maxLength: 200 }), (secret, text) => {
        expect(createRedactor(secret).text(text)).toBe(text);
      }),
    );
  });

  it('changes nothing without a key', () => {
    const made = createRedactor('');
    expect([made.text('anything'), made.data('anything')]).toEqual(['anything', 'anything']);
  });

  it('removes a demo key from errors only', () => {
    const made = createRedactor('demo');
    expect([made.text('demo'), made.data('demo')]).toEqual(['[redacted]', 'demo']);
    // Encodings this short would match unrelated text.
    expect(made.text(base64('demo'))).toBe(base64('demo'));
  });

  it('redacts keys in texts of any length', () => {
    const text = `${'.'.repeat(1 << 20)}${KEY}${'é'.repeat(1 << 16)}${hex(KEY)}`;
    expect(
      createRedactor(KEY)
        .data(text)
        .match(/\[redacted\]/g),
    ).toHaveLength(2);
  });
});
