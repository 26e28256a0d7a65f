const MARK = '[redacted]';

/**
 * Below this length a key is a rehearsal's ("demo"), and replacing it inside data would change data. Errors are
 * redacted whatever the length.
 */
const MIN_LENGTH_IN_DATA = 12;

export interface Redactor {
  /** For text that people read: errors, snippets. */
  text(text: string): string;
  /** For text that is data: bodies, request keys. */
  data(text: string): string;
}

/** Makes the functions that take an API key out of text, also in its JSON-escaped and URL-encoded spellings. */
export function createRedactor(apiKey: string): Redactor {
  const spellings = [...new Set([apiKey, JSON.stringify(apiKey).slice(1, -1), encodeURIComponent(apiKey)])];
  const redact = (text: string): string => {
    let out = text;
    for (const spelling of spellings) if (out.includes(spelling)) out = out.replaceAll(spelling, MARK);
    return out;
  };
  return { text: redact, data: apiKey.length >= MIN_LENGTH_IN_DATA ? redact : (text) => text };
}
