import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../../src/base/text/redact.js';

const KEY = String.raw`k3y-"7f&3a"/9+c2=d4_e6.~?live\0*1(2)`;

/** HTML names of characters, written by hand: the redactor uses another list. */
const NAMES: Record<string, string> = {
  '!': 'excl', '"': 'quot', '#': 'num', $: 'dollar', '%': 'percnt', '&': 'amp', "'": 'apos', '(': 'lpar', ')': 'rpar',
  '*': 'ast', '+': 'plus', ',': 'comma', '.': 'period', '/': 'sol', ':': 'colon', ';': 'semi', '<': 'lt', '=': 'equals',
  '>': 'gt', '?': 'quest', '@': 'commat', '[': 'lsqb', '\\': 'bsol', ']': 'rsqb', '^': 'Hat', _: 'lowbar', '`': 'grave',
  '{': 'lcub', '|': 'vert', '}': 'rcub',
}; // prettier-ignore

const hex = (c: string): string => c.charCodeAt(0).toString(16).padStart(2, '0');

/** How a writer escapes one character, which characters it must escape, and how a reader decodes all. */
interface Encoder {
  name: string;
  one: (c: string) => string;
  must: RegExp;
  back: (text: string) => string;
}

const fromHex = (_: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));

const ENCODERS: Encoder[] = [
  { name: String.raw`\x41`, one: (c) => String.raw`\x${hex(c)}`, must: /\\/, back: (t) => t.replaceAll(/\\x(..)/g, fromHex) },
  { name: String.raw`\u0041`, one: (c) => String.raw`\u00${hex(c)}`, must: /\\/, back: (t) => t.replaceAll(/\\u(....)/g, fromHex) },
  { name: String.raw`\u{41}`, one: (c) => `\\u{${hex(c)}}`, must: /\\/, back: (t) => t.replaceAll(/\\u\{(.*?)\}/g, fromHex) },
  {
    name: String.raw`\101`,
    one: (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`,
    must: /\\/,
    back: (t) => t.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
  },
  { name: String.raw`\41 of CSS`, one: (c) => `\\${hex(c)} `, must: /\\/, back: (t) => t.replaceAll(/\\(..) /g, fromHex) },
  { name: '%41', one: (c) => `%${hex(c)}`, must: /%/, back: (t) => t.replaceAll(/%(..)/g, fromHex) },
  { name: '%u0041', one: (c) => `%u00${hex(c)}`, must: /%/, back: (t) => t.replaceAll(/%u(....)/g, fromHex) },
  { name: '&#x41;', one: (c) => `&#x${hex(c)};`, must: /&/, back: (t) => t.replaceAll(/&#x(..);/g, fromHex) },
  {
    name: '&#65;',
    one: (c) => `&#0${c.charCodeAt(0)};`,
    must: /&/,
    back: (t) => t.replaceAll(/&#(\d+);/g, (_, digits: string) => String.fromCharCode(Number(digits))),
  },
  {
    name: '&plus;',
    one: (c) => (NAMES[c] === undefined ? c : `&${NAMES[c]};`),
    must: /&/,
    back: (t) => t.replaceAll(/&(\w+);/g, (all, name: string) => Object.entries(NAMES).find(([, n]) => n === name)?.[0] ?? all),
  },
  {
    name: '=41',
    one: (c) => `=${hex(c).toUpperCase()}=\r\n`,
    must: /=/,
    back: (t) => t.replaceAll('=\r\n', '').replaceAll(/=(..)/g, fromHex),
  },
]; // prettier-ignore

/** Escapes every n-th character, and all that the encoder must escape. */
const spelled = ({ one, must }: Encoder, text: string, every: number): string =>
  text
    .split('')
    .map((c, i) => (i % every === 0 || must.test(c) ? one(c) : c))
    .join('');

const wrapped = (text: string, width: number, end: string): string =>
  text.match(new RegExp(`.{1,${width}}`, 'g'))?.join(end) ?? '';

const base64 = (text: string, url: boolean): string => {
  const letters = Buffer.from(text).toString('base64');
  return url ? letters.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') : letters;
};

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';
const key = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...letters.split('')) },
      { weight: 1, arbitrary: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) },
    ),
    { minLength: 16, maxLength: 60 },
  )
  .map((characters) => characters.join(''));
const layers = fc.array(fc.tuple(fc.constantFrom(...ENCODERS), fc.integer({ min: 1, max: 3 })), { maxLength: 3 });

describe('createRedactor', () => {
  const redactor = createRedactor(KEY);
  const said = (text: string): string => `{"detail": "Token ${text} is refused"}`;
  const marked = '{"detail": "Token [redacted] is refused"}';

  it.each(ENCODERS)('redacts a key written as $name', (encoder) => {
    for (const every of [1, 2, 3]) {
      expect(redactor.text(said(spelled(encoder, KEY, every))).replaceAll('=\r\n', '')).toBe(marked);
      expect(redactor.data(said(spelled(encoder, KEY, every))).replaceAll('=\r\n', '')).toBe(marked);
    }
  });

  it.each([
    ['names without a semicolon, where HTML has them', KEY.replaceAll('&', '&amp').replaceAll('"', '&QUOT')],
    ['numbers without a semicolon', KEY.replaceAll('+', '&#43').replaceAll('.', '&#x2e')],
    ['names within names', KEY.replaceAll('&', '&amp;amp;amp;').replaceAll('/', '&amp;sol;')],
    [
      'long escapes',
      KEY.split('')
        .map((c) => String.raw`\U000000${hex(c)}`)
        .join(''),
    ],
    [
      'CSS of six digits',
      KEY.split('')
        .map((c) => String.raw`\0000${hex(c)}`)
        .join(''),
    ],
    ['a hyphen of HTML', KEY.replaceAll('-', '&hyphen;')],
    ['two lines', `${KEY.slice(0, 9)}\n  ${KEY.slice(9)}`],
    [
      'two lines of JSON',
      `${JSON.stringify(KEY.slice(0, 9)).slice(1, -1)}\\n${JSON.stringify(KEY.slice(9)).slice(1, -1)}`,
    ],
    ['other case', KEY.toUpperCase()],
  ])('redacts a key written with %s', (_name, text) => {
    const out = redactor.text(said(text));
    expect(out).toMatch(/^\{"detail": "Token \[redacted\]\\{0,2} ?is refused"\}$/);
  });

  it.each([
    '\n',
    '\r\n',
    String.raw`\n`,
    String.raw`\r\n`,
    String.raw`\u000a`,
    '%0D%0A',
    '&#10;',
    '&NewLine;',
    '=\r\n',
    ' ',
  ])('redacts base64 wrapped with %j', (end) => {
    for (const before of ['', 'T', 'To', 'Token ', 'Authorization: Token '])
      for (const width of [4, 19, 64, 76])
        for (const url of [false, true]) {
          const text = said(wrapped(base64(`${before}${KEY}!!`, url), width, end));
          const out = redactor.data(text);
          expect(out).toContain('[redacted]');
          // What remains is no longer than the text around the key, plus partial base64 groups.
          const rest = out
            .replaceAll(/^.*Token|is refused.*$|\[redacted\]/gs, '')
            .replaceAll(/\\u000a|\\[rn]|%0[AD]|&\S+?;|\s/g, '');
          expect(rest.length).toBeLessThanOrEqual(Math.ceil((before.length + 3) / 3) * 4 + 8);
        }
  });

  it('redacts a key in any nesting of escapes, hex and base64', () => {
    const block = fc.record({
      inner: fc.constantFrom<(text: string) => string>(
        (text) => text,
        (text) => JSON.stringify(text).slice(1, -1),
        encodeURIComponent,
        (text) => new URLSearchParams({ k: text }).toString().slice(2),
      ),
      outer: fc.constantFrom<((text: string) => string) | null>(
        null,
        (text) => base64(`Token ${text}`, false),
        (text) => base64(`x${text}y`, true),
        (text) => Buffer.from(text).toString('hex'),
        (text) => Buffer.from(text).toString('hex').toUpperCase(),
      ),
      width: fc.integer({ min: 8, max: 76 }),
      end: fc.constantFrom('\n', '\r\n'),
    });
    fc.assert(
      fc.property(key, block, layers, (secret, { inner, outer, width, end }, around) => {
        const core = outer === null ? secret : wrapped(outer(inner(secret)), width, end);
        const text = around.reduce((shown, [encoder, every]) => spelled(encoder, shown, every), core);
        const out = createRedactor(secret).data(`<p>${text}</p>`);
        expect(out, text).toContain('[redacted]');
        // Decoded layer by layer, the output does not contain the key.
        const read = around.reduceRight((shown, [encoder]) => encoder.back(shown), out).replaceAll(/\s/g, '');
        expect(read).not.toContain(secret);
        if (outer === null) return;
        const whole = core.replaceAll(/\s/g, '');
        for (let at = 0; at + 16 <= whole.length; at++) {
          const piece = whole.slice(at, at + 16);
          // Check only pieces that come from the key, not from the text around it.
          if (at > 10 && at + 26 < whole.length) expect(read).not.toContain(piece);
        }
      }),
      { numRuns: 1_500 },
    );
  });

  it('changes nothing without a key', () => {
    const made = createRedactor('');
    expect([made.text('anything'), made.data('anything')]).toEqual(['anything', 'anything']);
  });

  it('redacts only the key if it consists of escapes', () => {
    for (const escapes of ['%20%20%20%20%20', String.raw`\\\\\\\\`, '&amp;&amp;&amp;']) {
      const made = createRedactor(escapes);
      expect(made.text('a text of words')).toBe('a text of words');
      expect(made.text(`before ${escapes} after`)).not.toContain(escapes);
      expect(made.text(`before ${escapes} after`)).toMatch(/^before .*\[redacted\].* after$/);
    }
  });

  it('changes no data that does not hold the key', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        '\\',
        '%',
        '&',
        '=',
        '\n',
        ' ',
        '"',
        ';',
        '#',
        'x',
        'u',
        '{',
        '}',
        '&amp;',
        '%25',
        '\\u00',
        '\\"',
        '=\r\n',
      ),
      fc.constantFrom(...letters.split('')),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(key, fc.array(unit, { maxLength: 200 }), (secret, units) => {
        const text = units.join('');
        expect(createRedactor(secret).data(text)).toBe(text);
      }),
      { numRuns: 1_500 },
    );
  });

  it('keeps the text around the key, so JSON stays valid', () => {
    fc.assert(
      fc.property(
        key,
        fc.string({ unit: 'binary', maxLength: 8 }),
        fc.string({ unit: 'binary', maxLength: 8 }),
        (secret, before, after) => {
          const body = JSON.stringify({ a: `"${before}" ${secret}"${after}"`, b: before });
          const out = JSON.parse(createRedactor(secret).data(body)) as { a: string; b: string };
          expect(out.b).toBe(before);
          expect(out.a).toContain('[redacted]');
          expect(out.a.startsWith(`"${before}" `)).toBe(true);
          expect(out.a.endsWith(`"${after}"`)).toBe(true);
        },
      ),
    );
  });

  it.each([
    '\\',
    '%25',
    '&#x0',
    '&#0',
    String.raw`\u{0`,
    '&a',
    '&amp;',
    '=',
    '=\r',
    ' ',
    '\n',
    'A',
    '\\u005c',
    '\\x',
    '\\00',
    '%',
    '"\\\\"',
  ])('handles 512 KiB of %j and redacts the key behind it', (unit) => {
    const text = unit.repeat(Math.ceil((1 << 19) / unit.length));
    expect(redactor.data(text)).toBe(text);
    expect(redactor.data(`${text} : ${spelled(ENCODERS[0] as Encoder, KEY, 1)}`).endsWith(' : [redacted]')).toBe(true);
  });

  it('redacts keys in texts of any length, also across block borders', () => {
    const escaped = spelled(ENCODERS[1] as Encoder, KEY, 1);
    for (let shift = 0; shift < escaped.length; shift += 29) {
      const text = `${'.'.repeat((1 << 20) - shift)} ${escaped} ${'.'.repeat(1 << 16)} ${escaped}`;
      expect(redactor.data(text).match(/\[redacted\]/g)).toHaveLength(2);
      expect(redactor.data(text)).not.toMatch(/u00/);
    }
  });
});
