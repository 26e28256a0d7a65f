/** Number of characters that are compared at a time. */
const GRAM = 4;
// The bit in which upper and lower case of an ASCII letter differ. Set in all four characters of a gram.
const ANY_CASE = 0x20202020;

/**
 * Creates a quick test whether a text may contain one of the needles, in upper or lower case. Most texts contain none,
 * and the test then reads only a part of their characters.
 *
 * If a needle of at least L characters occurs in a text, the needle covers a position that is a multiple of `L - 3`,
 * and the three positions after it. So the test compares only the four characters at these positions with the four
 * characters at each place of the needles.
 *
 * @returns a function that returns false only for texts without any needle
 */
export function quickSearch(needles: readonly string[]): (text: string) => boolean {
  const shortest = Math.min(...needles.map(({ length }) => length));
  if (shortest < GRAM) return () => true;
  const step = shortest - GRAM + 1;
  const grams = new Set(needles.flatMap((needle) => Array.from({ length: step }, (_, at) => gramAt(needle, at))));
  // A table of hashes rules out most positions faster than the set.
  const hashes = new Uint8Array(1 << 16);
  for (const gram of grams) hashes[hashOf(gram)] = 1;
  return (text) => {
    for (let at = 0; at + GRAM <= text.length; at += step) {
      const gram = gramAt(text, at);
      if (hashes[hashOf(gram)] === 1 && grams.has(gram)) return true;
    }
    return false;
  };
}

/** Packs the low bytes of four characters into a number, without their case. */
function gramAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) & 0xff) |
    ((text.charCodeAt(at + 1) & 0xff) << 8) |
    ((text.charCodeAt(at + 2) & 0xff) << 16) |
    (text.charCodeAt(at + 3) << 24) |
    ANY_CASE
  );
}

function hashOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> 16;
}
