/*
 * Country codes in lists and in VAT numbers that are not the ISO code.
 */

const ISO_OF: Readonly<Record<string, string>> = { EL: 'GR', UK: 'GB', XI: 'GB', CHE: 'CH', ΕΛ: 'GR' };

/** Territories whose companies have the VAT numbers of another country. */
const VAT_HOME: Readonly<Record<string, string>> = {
  MC: 'FR',
  GP: 'FR',
  MQ: 'FR',
  RE: 'FR',
  GF: 'FR',
  YT: 'FR',
  IM: 'GB',
  LI: 'CH',
  AX: 'FI',
  SJ: 'NO',
};

/** Returns the ISO code of a country. `UK`, `EL` and `XI` are no ISO codes, but common in lists. */
export function isoCountry(code: string): string {
  return ISO_OF[code] ?? code;
}

/** Returns the ISO code of the country that issues the VAT numbers of a country; null if the text is
 * no country code. */
export function vatHome(country: string | null | undefined): string | null {
  const iso = isoCountry(country?.toUpperCase() ?? '');
  return /^[A-Z]{2}$/.test(iso) ? (VAT_HOME[iso] ?? iso) : null;
}

/** Returns the prefixes that VAT numbers of a country may have. The usual one comes first. */
export function vatPrefixes(iso: string): string[] {
  switch (iso) {
    case 'GR':
      return ['EL', 'GR'];
    case 'GB':
      return ['GB', 'XI'];
    case 'CH':
      return ['CHE'];
    default:
      return [iso];
  }
}
