import { createRequire } from 'node:module';
import type * as Stdnum from 'stdnum';

/*
 * VAT numbers in the form of their country, with valid check digits. As for plain numbers, the company index can be
 * computed from the number.
 */

/** The form of a country's VAT numbers. `b` stands for seven digits that hold index and version, `#` for a check sign. */
interface Form {
  prefix: string;
  form: string;
  /** Name of the country's rule in the package `stdnum`. */
  rule: string;
}

const FORMS: Readonly<Record<string, Form>> = {
  BE: { prefix: 'BE', form: '0b##', rule: 'vat' },
  DE: { prefix: 'DE', form: '1b#', rule: 'vat' },
  DK: { prefix: 'DK', form: 'b#', rule: 'cvr' },
  ES: { prefix: 'ES', form: 'Bb#', rule: 'nif' },
  FI: { prefix: 'FI', form: 'b#', rule: 'alv' },
  FR: { prefix: 'FR', form: '##3b#', rule: 'tva' },
  GB: { prefix: 'GB', form: 'b##', rule: 'vat' },
  GR: { prefix: 'EL', form: '0b#', rule: 'vat' },
  IE: { prefix: 'IE', form: 'b#', rule: 'vat' },
  IT: { prefix: 'IT', form: 'b015#', rule: 'iva' },
  NL: { prefix: 'NL', form: '0b#B01', rule: 'btw' },
  NO: { prefix: 'NO', form: '9b#MVA', rule: 'mva' },
  PL: { prefix: 'PL', form: '52b#', rule: 'nip' },
  SE: { prefix: 'SE', form: '55b#01', rule: 'vat' },
};

// Indexes are lower than this number. Seven digits hold four versions of it.
const INDEXES = 2_000_000;
const SIGNS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const require = createRequire(import.meta.url);
let stdnum: typeof Stdnum | undefined;

/**
 * Returns the VAT number of a company, with prefix. Null if the country has no form here, or if no check digit exists
 * for the number.
 */
export function nationalVat(country: string, index: number, version: number): string | null {
  const form = FORMS[country];
  if (form === undefined) return null;
  const body = String(index + INDEXES * (version % 4)).padStart(7, '0');
  const number = withCheckSigns(country, form, form.form.replace('b', body));
  return number === null ? null : form.prefix + number;
}

/** Replaces each `#` by the first signs that make the number valid. */
function withCheckSigns(country: string, { rule }: Form, text: string): string | null {
  stdnum ??= require('stdnum') as typeof Stdnum;
  const count = text.split('#').length - 1;
  const base = country === 'IE' ? SIGNS.length : 10;
  for (let n = 0; n < base ** count; n++) {
    let rest = n;
    const number = text.replaceAll('#', () => {
      const sign = SIGNS[rest % base]!;
      rest = Math.floor(rest / base);
      return sign;
    });
    if (stdnum.stdnum[country]?.[rule]?.validate(number).isValid) return number;
  }
  return null;
}

/** Returns the VAT number without the prefix of its country. */
export function withoutPrefix(number: string): string {
  return number.replace(/^[A-Z]{2}(?=.*\d)/, '');
}

/** Returns the indexes and versions of the companies that a VAT number may belong to, with or without prefix. */
export function possibleOwners(number: string): { index: number; version: number }[] {
  return Object.values(FORMS).flatMap(({ prefix, form }) => {
    const pattern = form.replaceAll('#', '[0-9A-Z]').replace('b', String.raw`(\d{7})`);
    const body = new RegExp(`^(?:${prefix})?${pattern}$`).exec(number)?.[1];
    return body === undefined ? [] : [{ index: Number(body) % INDEXES, version: Math.floor(Number(body) / INDEXES) }];
  });
}
