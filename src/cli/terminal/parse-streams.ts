import { TidemarkError } from '../../base/errors.js';

/**
 * Parses the comma-separated value of `--streams`. Returns all allowed streams when the option is left out.
 * @throws TidemarkError `InvalidInput` for an unknown stream or an empty list
 */
export function parseStreams<T extends string>(list: string | undefined, allowed: readonly T[]): T[] {
  if (list === undefined) return [...allowed];
  const names = [...new Set(list.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  const unknown = names.filter((name) => !allowed.some((known) => known === name));
  if (unknown.length === 0 && names.length > 0) return names as T[];
  const what = names.length === 0 ? 'names no stream' : `names ${unknown.join(', ')}`;
  throw new TidemarkError('InvalidInput', `--streams ${what}.`, { todo: `Choose from: ${allowed.join(', ')}.` });
}
