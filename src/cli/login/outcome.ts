/** Result of a sign-in. */
export type Outcome =
  | { kind: 'key'; key: string }
  /** The person signed in, but the answer contains no key. */
  | { kind: 'signed-in' }
  /** The person refused access, or the connector failed. `reason` is the connector's code, such as `access_denied`. */
  | { kind: 'refused'; reason: string };

/** Names that the field with the key may have. The reference does not show the answer. */
const KEY_NAMES = ['api_key', 'apiKey', 'apikey', 'key', 'access_token', 'token'];

/** Number of nested levels in which to look for a key. */
const MAX_DEPTH = 4;

/**
 * Reads the parameters or the JSON that the connector sends at the end of a sign-in. The reference (v1, section
 * "Connector application") does not show them. An answer with a `code` counts as signed in, because no documented route
 * exchanges a code for a key.
 */
export function readOutcome(answer: unknown): Outcome {
  const error = textAt(answer, ['error']);
  if (error !== null) return { kind: 'refused', reason: error };
  const key = textAt(answer, KEY_NAMES);
  return key === null ? { kind: 'signed-in' } : { kind: 'key', key };
}

/** Finds the first text under one of the names that is not empty. Searches outer objects before inner ones. */
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
