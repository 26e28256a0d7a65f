const MARK = '[redacted]';

/**
 * Below this length a key is a rehearsal's ("demo"), and replacing it inside data would change data. Errors are
 * redacted whatever the length.
 */
const MIN_LENGTH_IN_DATA = 12;

const HTML_SPELLINGS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export interface Redactor {
  /** For text that people read: errors, snippets. */
  text(text: string): string;
  /** For text that is data: bodies, request keys. */
  data(text: string): string;
}

/** Makes the functions that take an API key out of text, also as JSON, URLs, forms and HTML spell it. */
export function createRedactor(apiKey: string): Redactor {
  const inForm = new URLSearchParams([['', apiKey]]).toString().slice(1);
  const inHtml = apiKey.replace(/[&<>"']/g, (sign) => HTML_SPELLINGS[sign]!);
  const inJson = JSON.stringify(apiKey).slice(1, -1);
  const spellings = [...new Set([apiKey, inJson, encodeURIComponent(apiKey), inForm, inHtml])];
  const redact = (text: string): string => {
    let out = text;
    for (const spelling of spellings) if (out.includes(spelling)) out = out.replaceAll(spelling, MARK);
    return out;
  };
  return { text: redact, data: apiKey.length >= MIN_LENGTH_IN_DATA ? redact : (text) => text };
}
