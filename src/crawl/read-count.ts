/**
 * A count as the API said it: a whole number from 0 to 2^53 - 1, as a number or as its digits. Null for anything else, such
 * as 400 digits, a fraction or text: that counts nothing.
 */
export function readCount(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}
