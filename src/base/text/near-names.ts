import { distance } from 'fastest-levenshtein';

/**
 * Finds the names that a person may have meant, best first. Ignores case, accents, spaces and punctuation.
 * @returns at most `most` names; empty if none is similar
 */
export function nearNames(typed: string, names: readonly string[], most = 3): string[] {
  const wanted = simplify(typed);
  if (wanted === '') return [];
  // Typing errors allowed: one in three letters, at least one.
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  return [...new Set(names)]
    .map((name) => ({ name, errors: typingErrors(wanted, simplify(name)) }))
    .filter(({ errors }) => errors <= allowed)
    .toSorted((a, b) => a.errors - b.errors || a.name.localeCompare(b.name, 'en'))
    .slice(0, most)
    .map(({ name }) => name);
}

/** Returns the sentence that suggests names: ` Did you mean "a" or "b"?`, or an empty text. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const near = nearNames(typed, names).map((name) => `"${name}"`);
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
}

/** Reduces a text to lower-case letters and digits without accents: `Côte d'Ivoire` becomes `cotedivoire`. */
export function simplify(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Counts typing errors. A name that contains the typed text counts as one error: people shorten names (`Korea`). */
function typingErrors(wanted: string, name: string): number {
  if (wanted === name) return 0;
  const isPart = wanted.length >= 3 && name.includes(wanted);
  return isPart ? 1 : distance(wanted, name);
}
