/* A file may write a value with escapes. This file undoes the escapes, so that a search sees the plain value. */

// A text inside another text has its escapes twice, such as a JSON answer in a JSON line.
const ROUNDS = 3;

/** Yields the bytes, and then what they mean if they contain escapes of JSON, HTML or addresses of web pages. */
export function* viewsOf(bytes: Buffer): Generator<Buffer> {
  yield bytes;
  if (!mayEscape(bytes)) return;
  let text = bytes.toString('latin1');
  for (let round = 0; round < ROUNDS; round++) {
    let all = text;
    for (const decode of [withoutJson, withoutPercent, withoutHtml]) {
      const one = decode(text);
      if (one !== text) yield Buffer.from(one, 'latin1');
      all = decode(all);
    }
    if (all === text) return;
    text = all;
    yield Buffer.from(text, 'latin1');
  }
}

function mayEscape(bytes: Buffer): boolean {
  return ['\\', '%', '&'].some((sign) => bytes.includes(sign));
}

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function withoutJson(text: string): string {
  return text.replaceAll(/\\(?:((?:u[0-9a-fA-F]{4})(?:\\u[0-9a-fA-F]{4})*)|([bfnrt"\\/']))/g, (_, codes, sign) =>
    codes === undefined ? (CONTROLS[sign as string] ?? (sign as string)) : utf8(unitsOf(codes as string)),
  );
}

function unitsOf(codes: string): string {
  return String.fromCharCode(...codes.split('\\').map((code) => Number.parseInt(code.slice(1), 16)));
}

function withoutPercent(text: string): string {
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00c2\u00a0',
};

function withoutHtml(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name as string] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return code > 0x10ffff ? whole : utf8(String.fromCodePoint(code));
  });
}

/** Returns the bytes of a text in UTF-8, each as one character. */
function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}
