/** What the end of a sign-in says. */
export type Outcome =
  | { kind: 'key'; key: string }
  /** The person signed in, but no key came. */
  | { kind: 'signed-in' }
  /** The person refused, or the connector failed. `reason` is its code, such as `access_denied`. */
  | { kind: 'refused'; reason: string };

/** Names under which a key may come. The reference does not show the answer. */
const KEY_NAMES = ['api_key', 'apiKey', 'apikey', 'key', 'access_token', 'token'];

/** Deepest object in which to look for a key. */
const MAX_DEPTH = 4;

/**
 * Reads the parameters or the JSON that the connector sends at the end of a sign-in. The reference (v1, section
 * "Connector application") does not show them. A `code` counts as signed in: no documented route exchanges a code.
 */
export function readOutcome(answer: unknown): Outcome {
  const error = textAt(answer, ['error']);
  if (error !== null) return { kind: 'refused', reason: error };
  const key = textAt(answer, KEY_NAMES);
  return key === null ? { kind: 'signed-in' } : { kind: 'key', key };
}

/** Finds the first text that is not empty under one of the names, outer objects first. */
export function textAt(value: unknown, names: readonly string[], depth = 0): string | null {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return null;
  for (const name of names) {
    const found = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (typeof found === 'string' && found.trim() !== '') return found.trim();
  }
  for (const inner of Object.values(value)) {
    const found = textAt(inner, names, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
