import { isAddress, SHORTEST } from './values.js';
import { viewsOf } from './views.js';

const BITS = 1 << 22;

type Encoding = 'utf8' | 'utf16le' | 'utf16be';

interface Needle {
  bytes: Buffer;
  encoding: Encoding;
  /** Position in `bytes` of the four bytes by which the needle is found. */
  offset: number;
  value: string;
}

/**
 * Searches bytes for many values in one pass. Finds only whole words, in UTF-8 and UTF-16. `find` also reads escapes of
 * JSON, HTML and addresses of web pages.
 */
export class ValueFinder {
  readonly #byGram = new Map<number, Needle[]>();
  readonly #grams = new Uint8Array(BITS / 8);
  /** Number of bytes that two pieces of a file must share, so that no value is cut. */
  readonly overlap: number;

  constructor(values: Iterable<string>) {
    const needles = [...values].flatMap(needlesOf);
    const frequency = new Map<number, number>();
    for (const { bytes } of needles) {
      for (let at = 0; at + SHORTEST <= bytes.length; at++) {
        const gram = bytes.readUInt32BE(at);
        frequency.set(gram, (frequency.get(gram) ?? 0) + 1);
      }
    }
    let longest = 0;
    for (const needle of needles) {
      longest = Math.max(longest, needle.bytes.length);
      // Find a needle by its rarest four bytes: many links begin with the same ones.
      let rarest = Infinity;
      for (let at = 0; at + SHORTEST <= needle.bytes.length; at++) {
        const count = frequency.get(needle.bytes.readUInt32BE(at)) ?? 0;
        if (count < rarest) [rarest, needle.offset] = [count, at];
      }
      const gram = needle.bytes.readUInt32BE(needle.offset);
      const known = this.#byGram.get(gram);
      if (known === undefined) this.#byGram.set(gram, [needle]);
      else known.push(needle);
      const bit = bitOf(gram);
      this.#grams[bit >> 3] = (this.#grams[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
    // An escape has up to seven bytes for one byte.
    this.overlap = 8 * longest + 16;
  }

  /** Adds the values found in the bytes to `found`. */
  find(bytes: Buffer, found: Set<string>): void {
    if (this.#byGram.size === 0) return;
    for (const view of viewsOf(bytes)) this.#findPlain(view, found);
  }

  /** Whether any value is in the text. */
  isIn(text: string): boolean {
    const found = new Set<string>();
    this.find(Buffer.from(text), found);
    return found.size > 0;
  }

  #findPlain(bytes: Buffer, found: Set<string>): void {
    let gram = 0;
    for (let at = 0; at < bytes.length; at++) {
      gram = ((gram << 8) | (bytes[at] as number)) >>> 0;
      const bit = bitOf(gram);
      if (at < 3 || ((this.#grams[bit >> 3] as number) & (1 << (bit & 7))) === 0) continue;
      for (const needle of this.#byGram.get(gram) ?? []) {
        if (!found.has(needle.value) && isAt(bytes, at - 3 - needle.offset, needle)) found.add(needle.value);
      }
    }
  }
}

/** Returns the forms of a value, in each encoding. An address and a text of several words may have other capital letters. */
function needlesOf(value: string): Needle[] {
  const texts = isAddress(value) || /\S\s\S/.test(value) ? [value, value.toLowerCase(), value.toUpperCase()] : [value];
  const forms = new Set(texts.flatMap((text) => [text, text.normalize('NFC'), text.normalize('NFD')]));
  return [...forms].flatMap((form) => {
    const little = Buffer.from(form, 'utf16le');
    const all: [Encoding, Buffer][] = [
      ['utf8', Buffer.from(form)],
      ['utf16le', little],
      ['utf16be', Buffer.from(little).swap16()],
    ];
    return all.flatMap(([encoding, bytes]) => (bytes.length < SHORTEST ? [] : [{ bytes, encoding, offset: 0, value }]));
  });
}

function bitOf(gram: number): number {
  return (Math.imul(gram, 0x9e3779b1) >>> 10) & (BITS - 1);
}

function isAt(bytes: Buffer, at: number, { bytes: needle, encoding }: Needle): boolean {
  const end = at + needle.length;
  if (at < 0 || end > bytes.length || bytes.compare(needle, 0, needle.length, at, end) !== 0) return false;
  const isLetter = (of: Buffer, from: number): boolean => isLetterAt(of, from, encoding);
  const step = encoding === 'utf8' ? 1 : 2;
  const isWordStart = !isLetter(bytes, at - step) || !isLetter(needle, 0);
  return isWordStart && (!isLetter(bytes, end) || !isLetter(needle, needle.length - step));
}

/** Whether there is an ASCII letter or digit, or a part of a character that is not ASCII. */
function isLetterAt(bytes: Buffer, at: number, encoding: Encoding): boolean {
  if (at < 0 || at + (encoding === 'utf8' ? 1 : 2) > bytes.length) return false;
  const sign =
    encoding === 'utf8'
      ? (bytes[at] as number)
      : encoding === 'utf16le'
        ? bytes.readUInt16LE(at)
        : bytes.readUInt16BE(at);
  const lower = sign | 0x20;
  return sign >= 0x80 || (sign >= 0x30 && sign <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}
