/**
 * Reads a count from an answer of the API. A count is a whole number from 0 to 2^53 - 1, as number or text.
 * @returns null for anything else, such as 400 digits, a fraction or a word
 */
export function readCount(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}
