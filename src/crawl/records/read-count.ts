/**
 * Reads a count from an answer of the API. A count is a whole number from 0 to 2^53 - 1, written as a number or as
 * text.
 * @returns null for any other value, such as a fraction, a word or a text of 400 digits
 */
export function readCount(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}
