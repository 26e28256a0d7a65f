import { characterEntities } from 'character-entities';

/** An unescaped text. For each of its characters, `starts` and `ends` give the range in the original text. */
export interface Unescaped {
  text: string;
  starts: Uint32Array;
  ends: Uint32Array;
}

/** How to unescape a text. */
export interface Dialect {
  /**
   * Whether to decode `=41` as an escaped character. `=41` may also be an equals sign with a value, so callers try both
   * settings.
   */
  quotedPrintable: boolean;
  /** Whether to remove white space. Long keys and base64 may be wrapped over several lines. */
  squeezed: boolean;
}

// Decode at most this many levels of nested escapes. The limit also ends the loop for a text that changes in every
// round.
const MOST_ROUNDS = 20;

/** HTML names of ASCII characters, and of other characters that look like ASCII characters. */
const NAMES = new Map([
  ...Object.entries(characterEntities).filter(([, character]) => /^[\t\n -~]$/.test(character)),
  ...Object.entries({ hyphen: '-', dash: '-', minus: '-', tilde: '~', circ: '^' }),
]);

const H = '[0-9a-fA-F]';

/**
 * Patterns of escapes, for `pass`. The argument `kinds` of `pass` has one letter for each group of a pattern: h hex, d
 * decimal, o octal, n name.
 */
const URLS = String.raw`%(?:u00)?(${H}{2})`;
const HTML = String.raw`&#[xX]0{0,16}(${H}{1,6});|&#0{0,16}(\d{1,7});|&([A-Za-z][A-Za-z0-9]{0,23});`;
const PRINTABLE = String.raw`=(${H}{2})|=[ \t]{0,8}\r?\n`;
// Matches consecutive backslashes as a whole. If a match could start at each of a million backslashes, matching would
// take quadratic time.
const SLASHES = String.raw`(?<!\\)\\+`;
const STRINGS = String.raw`${SLASHES}(?:x(${H}{2})|u(${H}{4})|u\{0{0,16}(${H}{1,6})\}|U(${H}{8})|(00${H}{4})\s?|([0-3][0-7]{2})|(${H}{2})\s)`;
// Matches incomplete escapes that CSS and HTML accept. They are decoded after the complete escapes, because decoding a
// complete escape may add the missing part of an incomplete one.
const LOOSE = String.raw`${SLASHES}(?![0-7]{3})(${H}{2})(?!${H})|&#[xX]0{0,16}(${H}{1,6})|&#0{0,16}(\d{1,7})|&(amp|lt|gt|quot|AMP|LT|GT|QUOT)`;

type Meaning = (escape: string, ...groups: unknown[]) => string;

/** One step of decoding: replaces each match of `pattern` by the result of `meaning`. */
interface Pass {
  pattern: RegExp;
  meaning: Meaning;
  /** Replaces all matches in a text. Faster than `pattern` for texts with few escapes. */
  decode: (text: string) => string;
}

/** @param signs characters of which each match contains at least one; a text without them is not searched */
function pass(pattern: string, kinds: string, signs: readonly string[]): Pass {
  const expression = new RegExp(pattern, 'g');
  const meaning: Meaning = (escape, ...groups) => {
    const at = groups.slice(0, kinds.length).findIndex((group) => group !== undefined);
    // Without a group, the escape is a line break after `=`. It joins two lines, so remove it.
    if (at === -1) return '';
    return characterOf(kinds[at] ?? '', groups[at] as string) ?? escape;
  };
  return {
    pattern: expression,
    meaning,
    decode: (text) => (signs.some((sign) => text.includes(sign)) ? text.replaceAll(expression, meaning) : text),
  };
}

/** Decodes one escape. `kind` is h (hex), d (decimal), o (octal) or n (name). */
function characterOf(kind: string, said: string): string | undefined {
  if (kind === 'n') return NAMES.get(said);
  const code = Number.parseInt(said, kind === 'h' ? 16 : kind === 'd' ? 10 : 8);
  // Keys are ASCII. So replace every other character by U+FFFD.
  return code < 0x80 ? String.fromCharCode(code) : '\ufffd';
}

/**
 * Returns a pass that replaces `\n`, `\r` and `\t` by a space, and removes backslashes before other characters. If
 * `squeezed`, it removes all white space.
 */
function cleaning(squeezed: boolean): Pass {
  const space = squeezed ? '' : ' ';
  const pattern = new RegExp(squeezed ? String.raw`${SLASHES}([^\\])|\s+` : String.raw`${SLASHES}([^\\])`, 'g');
  const meaning: Meaning = (_, character) =>
    typeof character !== 'string' || /[nrt\s]/.test(character) ? space : character;
  const decode = (text: string): string => {
    if (text.includes('\\')) return text.replaceAll(pattern, meaning);
    return squeezed ? text.replaceAll(/\s+/g, '') : text;
  };
  return { pattern, meaning, decode };
}

const PASSES = new Map<string, readonly Pass[]>();

/** Lists the passes in the order of decoding. A pass runs only when the earlier passes have nothing left to decode. */
function passesOf({ quotedPrintable, squeezed }: Dialect): readonly Pass[] {
  const key = `${quotedPrintable} ${squeezed}`;
  const known = PASSES.get(key);
  if (known !== undefined) return known;
  const outer = quotedPrintable
    ? pass(`${URLS}|${HTML}|${PRINTABLE}`, 'hhdnh', ['%', '&', '='])
    : pass(`${URLS}|${HTML}`, 'hhdn', ['%', '&']);
  const passes = [outer, pass(STRINGS, 'hhhhhoh', ['\\']), pass(LOOSE, 'hhdn', ['\\', '&']), cleaning(squeezed)];
  PASSES.set(key, passes);
  return passes;
}

/**
 * Decodes the escapes of JSON, JavaScript, CSS, URLs and HTML, even if they are nested or mixed. Also decodes
 * quoted-printable if `dialect` says so.
 */
export function unescapeText(text: string, dialect: Dialect): string {
  return inRounds(
    text,
    dialect,
    (now, { decode }) => decode(now),
    (now) => now.length,
  );
}

/** Does the same as `unescapeText` and returns the source range of each character. */
export function unescapeWithPlaces(text: string, dialect: Dialect): Unescaped {
  const places: Unescaped = { text, starts: new Uint32Array(text.length), ends: new Uint32Array(text.length) };
  for (let i = 0; i < text.length; i++) [places.starts[i], places.ends[i]] = [i, i + 1];
  return inRounds(places, dialect, placed, (now) => now.text.length);
}

function inRounds<T>(text: T, dialect: Dialect, apply: (now: T, pass: Pass) => T, length: (now: T) => number): T {
  const passes = passesOf(dialect);
  let now = text;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = length(now);
    for (const each of passes) {
      now = apply(now, each);
      // An escape is longer than the character it stands for. So if the text became shorter, the pass decoded an
      // escape.
      if (length(now) < before) break;
    }
    if (length(now) === before) return now;
  }
  return now;
}

function placed({ text, starts, ends }: Unescaped, { pattern, meaning }: Pass): Unescaped {
  const out = { starts: new Uint32Array(text.length), ends: new Uint32Array(text.length) };
  const pieces: string[] = [];
  let length = 0;
  const put = (piece: string, from: number, to: number): void => {
    out.starts.set(starts.subarray(from, to), length);
    out.ends.set(ends.subarray(from, to), length);
    pieces.push(piece);
    length += piece.length;
  };
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [escape, ...groups] = match;
    const character = meaning(escape, ...groups);
    if (character === escape) continue;
    put(text.slice(at, match.index), at, match.index);
    at = match.index + escape.length;
    if (character === '') continue;
    put(character, match.index, match.index + 1);
    out.ends[length - 1] = ends[at - 1] ?? 0;
  }
  put(text.slice(at), at, text.length);
  return { text: pieces.join(''), ...out };
}
