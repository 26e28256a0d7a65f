/*
 * Lists words that answers about owners may use. The reference shows no answer, so these words are guesses. If a word
 * is missing here, a value is lost, but no name of a person is kept.
 */

/** Kinds of keys. Under a `structure` key, only objects and arrays are kept; plain values are removed. */
export type KeyKind = 'structure' | 'flag' | 'id' | 'share' | 'count' | 'country' | 'code' | 'day' | 'company-name';

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Words that a known key may contain. A key with any other word is unknown. */
const KNOWN = words(`a all and answer as at back beneficial by chain chains child children code codes companies company
  complete completed conclusive control controlled controller controllers controlling corporate count country created
  data date depth direct directly done effective end ended enrich enrichment entities entity final finished flag
  found from has held holder holders holding holdings id ids inconclusive indirect indirectly individual interest is
  items job jobs jurisdiction kind kyb legal level levels lei link links max min name nationality natural node nodes of open organisation organization owned owner owners ownership page pages parent parents partial path paths
  per pct percent percentage person persons position rank ready ref reference registration registered number report reports
  residence resolved result results role route routes rows share shareholder shareholders shareholding shares size
  stake stakes start started state status subject subsidiaries subsidiary success that this threshold through to total
  truncated type types ubo ubos ultimate uncertain unknown unresolved updated via voting votes`);

const COMPANY_WORDS = words(
  'company companies corporate corporation organisation organization legal entity business firm',
);
const PERSON_WORDS = words('person natural individual human people');

/** Words that a state or type may contain. Under such a key, a text with any other word is removed. */
const CODES = new Set([
  ...KNOWN,
  ...COMPANY_WORDS,
  ...PERSON_WORDS,
  ...words(`accepted active aborted cancelled canceled created error expired failed foundation fund government in
    inactive new none not ok pending processing progress public queued rejected running state succeeded success
    trust trustee undisclosed waiting`),
]);

/** Keys whose objects describe companies. */
export const COMPANY_TYPES: ReadonlySet<string> = new Set([
  'company',
  'legal_entity',
  'legalentity',
  'organisation',
  'organization',
]);

/** Splits a key into lower-case words. `sharePercent` and `share_percent` have two words. */
function wordsOf(key: string): string[] {
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Returns the kind of a key. Returns null for an unknown key, which may itself be a person's name. */
export function kindOfKey(key: string): KeyKind | null {
  const parts = wordsOf(key);
  if (parts.length === 0 || !parts.every((word) => KNOWN.has(word))) return null;
  const has = (...some: string[]): boolean => some.some((word) => parts.includes(word));
  const last = parts.at(-1) ?? '';
  if (['id', 'ids', 'ref', 'reference'].includes(last)) return 'id';
  if (has('name', 'registration', 'lei'))
    return has('person', 'individual', 'natural', 'owner') ? 'structure' : 'company-name';
  if (has('country', 'nationality', 'jurisdiction', 'residence')) return 'country';
  // A key that is only `date` may be a date of birth.
  if (['at', 'date'].includes(last)) return parts.length > 1 ? 'day' : 'structure';
  if (
    has(
      'is',
      'has',
      'conclusive',
      'inconclusive',
      'complete',
      'partial',
      'resolved',
      'truncated',
      'done',
      'finished',
      'ready',
    )
  )
    return 'flag';
  if (has('type', 'types', 'kind', 'status', 'state', 'role', 'code', 'control')) return 'code';
  if (has('count', 'total', 'depth', 'level', 'levels', 'position', 'rank', 'page', 'pages', 'size')) return 'count';
  if (
    has(
      'share',
      'shares',
      'percent',
      'percentage',
      'pct',
      'stake',
      'stakes',
      'interest',
      'ownership',
      'threshold',
      'effective',
      'votes',
      'voting',
      'shareholding',
      'min',
      'max',
      'direct',
      'indirect',
    )
  )
    return 'share';
  return 'structure';
}

/** Whether a text is an id: digits, a UUID, a hash, or digits after a short prefix. A plain word is not an id. */
export function isIdentifier(text: string): boolean {
  return (
    /^-?\d{1,30}$/.test(text) ||
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ||
    /^[0-9a-f]{16,64}$/i.test(text) ||
    /^[a-z]{1,4}[-_:/]?\d{1,30}$/i.test(text)
  );
}

/**
 * Whether a text is a number with at most seven digits before the decimal point, with or without a percent sign.
 * Telephone numbers are longer.
 */
export function isShare(text: string): boolean {
  return /^\s*-?\d{1,7}([.,]\d+)?(e-?\d+)?\s*%?\s*$/i.test(text);
}

/** Whether a text is a country or nationality code of two or three letters. */
export function isCountry(text: string): boolean {
  return /^[A-Za-z]{2,3}$/.test(text);
}

/** Whether a text consists only of words in CODES. */
export function isCode(text: string): boolean {
  const parts = wordsOf(text);
  return parts.length > 0 && parts.every((word) => CODES.has(word));
}

/** Whether a text is a date, with or without a time. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(text);
}

/**
 * Whether a field says that its object is a company.
 * @returns false if it says that the object is a person; null if it says neither
 */
export function isCompany(key: string, value: string): boolean | null {
  const parts = wordsOf(key);
  const says = wordsOf(value);
  if (parts.some((word) => word === 'type' || word === 'kind')) {
    if (says.length > 0 && says.every((word) => COMPANY_WORDS.has(word))) return true;
    return says.some((word) => PERSON_WORDS.has(word)) ? false : null;
  }
  const flag = /^(true|false)$/.test(value) ? value === 'true' : null;
  if (flag === null || parts[0] !== 'is') return null;
  if (parts.some((word) => PERSON_WORDS.has(word))) return !flag;
  return parts.slice(1).every((word) => COMPANY_WORDS.has(word)) ? flag : null;
}
