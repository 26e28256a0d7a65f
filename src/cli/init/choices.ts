import { invalidInput } from '../../base/errors.js';
import { didYouMean, simplify } from '../../base/text/near-names.js';

/** An entry of a lookup list (reference v1, section "Nomenclature lookup lists"). */
export interface Entry {
  id: number | string;
  name: string;
  /** Two-letter code of a country. */
  short: string | null;
}

/** What a list holds, for messages, and the option that names its entries. */
export interface ListKind {
  what: 'country' | 'industry';
  option: string;
}

export const COUNTRY: ListKind = { what: 'country', option: '--country' };
export const INDUSTRY: ListKind = { what: 'industry', option: '--industry' };

/** Reads the entries of a lookup list, sorted by name. Skips entries without an id or a name. */
export function readEntries(list: unknown): Entry[] {
  if (!Array.isArray(list)) return [];
  return (list as unknown[])
    .flatMap((each) => {
      const { id, name, short_name: short } = (each ?? {}) as Record<string, unknown>;
      const isId = typeof id === 'number' || (typeof id === 'string' && id !== '');
      return isId && typeof name === 'string' && name.trim() !== ''
        ? [{ id, name, short: typeof short === 'string' && short !== '' ? short : null }]
        : [];
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/**
 * Finds the entries that a person named: by name, two-letter code or id.
 * @throws TidemarkError `InvalidInput` for a name that is not in the list, with near names
 */
export function findEntries(entries: readonly Entry[], typed: readonly string[], kind: ListKind): Entry[] {
  if (typed.length > 0 && entries.length === 0) {
    throw invalidInput(
      `${kind.option} cannot be used: the API gives no list of names for it.`,
      `Leave out ${kind.option}, and write the filter into tidemark.yaml later.`,
    );
  }
  return [...new Set(typed.map((name) => findEntry(entries, name.trim(), kind)))];
}

function findEntry(entries: readonly Entry[], typed: string, { what, option }: ListKind): Entry {
  const byId = entries.find(({ id }) => String(id) === typed);
  if (byId) return byId;
  const wanted = simplify(typed);
  const found = entries.filter((entry) =>
    [entry.name, entry.short ?? ''].some((name) => wanted !== '' && simplify(name) === wanted),
  );
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const all = found.map(({ id, name }) => `${id} (${name})`).join(', ');
    throw invalidInput(`${option} "${typed}" names several entries: ${all}.`, `Write the id instead.`);
  }
  const names = entries.map(({ name }) => name);
  const near = didYouMean(typed, names);
  throw invalidInput(
    `${option} "${typed}" is not a known ${what}.${near}`,
    near === ''
      ? `The API knows ${entries.length} names, such as ${names.slice(0, 5).join(', ')}. \`tidemark init\` in a terminal lists all.`
      : `Write the name as the API does, in quotes if it has spaces.`,
  );
}
