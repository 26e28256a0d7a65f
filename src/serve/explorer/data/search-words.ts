import type { SearchHit } from '../../../../schemas/explorer/api.js';

/** More words than this are ignored. */
const MAX_WORDS = 8;

/** Splits a search text into words: lower case, without accents and punctuation. */
export function searchWords(text: string): string[] {
  return foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}

/** Folds a text as `sql/explorer/search-texts.sql` does: lower case, without accents. */
export function foldText(text: string): string {
  return text
    .slice(0, 400)
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFC');
}

/**
 * Sorts hits: first an exact number, then names that begin with the first word, then names that contain it, then all
 * others. Hits of equal rank keep their order.
 */
export function rankHits(hits: readonly SearchHit[], words: readonly string[]): SearchHit[] {
  const whole = words.join('');
  const first = words[0] ?? '';
  const rank = (hit: SearchHit): number => {
    const numbers = [hit.company_id, hit.registration_number, hit.vat_number].map((text) =>
      foldText(String(text ?? '')).replaceAll(/[^\p{L}\p{N}]+/gu, ''),
    );
    if (numbers.includes(whole)) return 0;
    const name = foldText(hit.name ?? '');
    if (name.startsWith(words.join(' '))) return 1;
    if (name.startsWith(first)) return 2;
    return name.includes(first) ? 3 : 4;
  };
  return hits
    .map((hit, at) => ({ hit, at, rank: rank(hit) }))
    .toSorted((a, b) => a.rank - b.rank || a.at - b.at)
    .map(({ hit }) => hit);
}
