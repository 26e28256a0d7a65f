const MARK = '[redacted]';

/**
 * API keys shorter than this are demo keys, such as "demo". They are not removed from data, because the same letters
 * may be part of other words. They are removed from errors.
 */
const MIN_LENGTH_IN_DATA = 12;

/** Shortest encoding (hex or base64) to search for, in characters. Shorter ones would also match unrelated text. */
const MIN_ENCODED = 8;

/** Whether an API key is so short that it counts as a demo key, not as a secret. */
export function isRehearsalKey(secret: string): boolean {
  return secret.length < MIN_LENGTH_IN_DATA;
}

/** Replaces one secret in texts by `[redacted]`. */
export interface Redactor {
  /** Redacts text that people read: errors and logs. */
  text(text: string): string;
  /** Redacts data: bodies and request keys. Works like `text`, but does not remove demo keys. */
  data(text: string): string;
  /** As `data`, for a body in UTF-8. Returns the same buffer if nothing is removed. */
  bytes(body: Buffer): Buffer;
}

/**
 * Creates functions that remove secrets from text. They find each plain secret, its spelling in JSON and in URLs, and
 * its encodings in hex and base64. They do not find other escapes, such as `\u0041`, nor an encoding within another one.
 */
export function createRedactor(...secrets: string[]): Redactor {
  const inData = secrets.filter((secret) => !isRehearsalKey(secret)).flatMap(spellingsOf);
  const needles = inData.map((one) => Buffer.from(one));
  const data = replacing(inData);
  return {
    text: replacing(secrets.filter((secret) => secret !== '').flatMap(spellingsOf)),
    data,
    bytes: (body) => (needles.some((one) => body.includes(one)) ? Buffer.from(data(body.toString())) : body),
  };
}

function replacing(spellings: string[]): (text: string) => string {
  // The longest first, because a shorter one may be a part of it.
  const sorted = spellings.toSorted((a, b) => b.length - a.length);
  const escaped = sorted.map((one) => one.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`));
  const any = new RegExp(escaped.join('|'), 'g');
  // Almost no text holds a secret, and `includes` is much faster than the expression.
  return (text) => (spellings.some((one) => text.includes(one)) ? text.replaceAll(any, MARK) : text);
}

/** Returns the spellings of a secret. */
function spellingsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const hex = Buffer.from(secret).toString('hex');
  // In base64, the letters depend on how many bytes come before, as in `Token <key>`. Three offsets cover all cases.
  const base64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    // Cut off a first or last letter that also contains bits of a neighbouring byte.
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
  const forUrls = base64.map((letters) => letters.replaceAll('+', '-').replaceAll('/', '_'));
  const encoded = [hex, hex.toUpperCase(), ...base64, ...forUrls].filter(({ length }) => length >= MIN_ENCODED);
  const plain = [secret, json, json.replaceAll('/', String.raw`\/`), encodeURIComponent(secret)];
  return [...new Set([...plain, ...encoded])];
}
