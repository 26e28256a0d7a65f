import { characterEntities } from 'character-entities';

/** A text, and for each of its characters where what stands for it begins and ends in the text it was made of. */
export interface Unescaped {
  text: string;
  starts: Uint32Array;
  ends: Uint32Array;
}

export interface Dialect {
  /** `=41` is a character, too. It can also be the beginning of a value behind `=`, so that both are tried. */
  quotedPrintable: boolean;
  /** Without white space: lines are wrapped where a key or base64 is long. */
  squeezed: boolean;
}

// An escape within an escape within an escape … and no text that goes on for ever.
const MOST_ROUNDS = 20;

/** Names that readers of HTML show as a sign of ASCII, or as one like it. */
const NAMES = new Map([
  ...Object.entries(characterEntities).filter(([, character]) => /^[\t\n -~]$/.test(character)),
  ...Object.entries({ hyphen: '-', dash: '-', minus: '-', tilde: '~', circ: '^' }),
]);

const H = '[0-9a-fA-F]';

/** Groups 1 and 2: hex and decimal digits; 3: a name; 4: octal digits; 5: the character itself. */
const URLS = String.raw`%(?:u00)?(${H}{2})`;
const HTML = String.raw`&#[xX]0{0,16}(${H}{1,6});|&#0{0,16}(\d{1,7});|&([A-Za-z][A-Za-z0-9]{0,23});`;
const PRINTABLE = String.raw`=(${H}{2})|=[ \t]{0,8}\r?\n`;
// From the first of several: tried from each of a million, a pattern takes for ever.
const SLASHES = String.raw`(?<!\\)\\+`;
const STRINGS = String.raw`${SLASHES}(?:x(${H}{2})|u(${H}{4})|u\{0{0,16}(${H}{1,6})\}|U(${H}{8})|(00${H}{4})\s?|([0-3][0-7]{2})|(${H}{2})\s)`;
// What CSS and HTML also take; not before the rest is read, which may complete it.
const LOOSE = String.raw`${SLASHES}(?![0-7]{3})(${H}{2})(?!${H})|&#[xX]0{0,16}(${H}{1,6})|&#0{0,16}(\d{1,7})|&(amp|lt|gt|quot|AMP|LT|GT|QUOT)`;

type Meaning = (escape: string, ...groups: unknown[]) => string;

interface Pass {
  pattern: RegExp;
  meaning: Meaning;
}

const pass = (pattern: string, kinds: string): Pass => ({
  pattern: new RegExp(pattern, 'g'),
  meaning: (escape, ...groups) => {
    const at = groups.slice(0, kinds.length).findIndex((group) => group !== undefined);
    // A line that ends in `=` goes on in the next.
    if (at === -1) return '';
    return characterOf(kinds[at] ?? '', groups[at] as string) ?? escape;
  },
});

/** By the letter of `kinds`: hex, decimal or octal digits, or a name. */
function characterOf(kind: string, said: string): string | undefined {
  if (kind === 'n') return NAMES.get(said);
  const code = Number.parseInt(said, kind === 'h' ? 16 : kind === 'd' ? 10 : 8);
  // Keys are ASCII: of any other character no more is wanted than that it is one.
  return code < 0x80 ? String.fromCharCode(code) : '\ufffd';
}

/** `\n` and its like, any other character behind backslashes, and white space. */
function cleaning(squeezed: boolean): Pass {
  const space = squeezed ? '' : ' ';
  return {
    pattern: new RegExp(squeezed ? String.raw`${SLASHES}([^\\])|\s+` : String.raw`${SLASHES}([^\\])`, 'g'),
    meaning: (_, character) => (typeof character !== 'string' || /[nrt\s]/.test(character) ? space : character),
  };
}

/** One is tried where none before it has anything left to do. */
function passesOf({ quotedPrintable, squeezed }: Dialect): Pass[] {
  const outer = quotedPrintable ? pass(`${URLS}|${HTML}|${PRINTABLE}`, 'hhdnh') : pass(`${URLS}|${HTML}`, 'hhdn');
  return [outer, pass(STRINGS, 'hhhhhoh'), pass(LOOSE, 'hhdn'), cleaning(squeezed)];
}

/**
 * A text without escapes: those of JSON, JavaScript, CSS, URLs, HTML and, where wanted, quoted-printable, in any mixture and
 * within each other.
 */
export function unescapeText(text: string, dialect: Dialect): string {
  return inRounds(
    text,
    dialect,
    (now, { pattern, meaning }) => now.replaceAll(pattern, meaning),
    (now) => now.length,
  );
}

/** As `unescapeText`, with the place of each character. */
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
      // Every escape is longer than what it stands for.
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
