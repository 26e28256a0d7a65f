/** Dates that a server's clock may show. Any other is a fault of the server, and says nothing about this machine. */
const EARLIEST = Date.parse('2020-01-01T00:00:00Z');
const LATEST = Date.parse('2100-01-01T00:00:00Z');

/**
 * Reads a date of an HTTP header: the three formats of RFC 9110, 5.6.7, and ISO 8601. A date without a zone is in UTC.
 * Pure.
 * @returns milliseconds since 1970; null for any other text, such as `-5` or `May`
 */
export function readHttpDate(text: string): number | null {
  const date = text.trim();
  if (!/^((mon|tue|wed|thu|fri|sat|sun)[a-z]*,? |\d{4}-\d\d-\d\dT)/i.test(date)) return null;
  const at = Date.parse(/[A-Z]$|[+-]\d\d:?\d\d$/i.test(date) ? date : `${date}${date.includes('T') ? 'Z' : ' GMT'}`);
  return Number.isNaN(at) ? null : at;
}

/** Reads the header `Date` of an answer. Returns null for a time that no server's clock shows, such as the year 9999. */
export function readServedAt(header: string | null): number | null {
  const at = header === null ? null : readHttpDate(header);
  return at !== null && at >= EARLIEST && at < LATEST ? at : null;
}
