import { hasCheckDigits97 } from '../../../base/identifiers/text.js';

/** Removes spaces and other separators, and converts letters to upper case. */
export function compact(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}

/** Whether a text is an IBAN with valid check digits (ISO 13616). Spaces are allowed. */
export function isIban(text: string): boolean {
  if (!/^[\dA-Za-z][\dA-Za-z \u00a0\u202f.-]*$/.test(text.trim())) return false;
  const iban = compact(text);
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  return hasCheckDigits97(iban.slice(4) + iban.slice(0, 4));
}
