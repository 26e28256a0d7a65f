import { readJson } from '../../../base/json/json-nodes.js';
import { compact, isIban } from './iban.js';

/** Matches the characters between the parts of an account number or proxy: `DE89 3704 0044`, `12-34-56`, `jane@firm`. */
const GAP = String.raw`[^\p{L}\p{N}]{0,3}`;
// A field with such a name may hold a person's name or contact data. The fields for company names have other names.
const PERSONAL_FIELD =
  /(holder|owner|person|director|officer|contact|first|last|middle|full)_?names?$|(account|card)_?holder$|e_?mail|phone|mobile|birth|gender/i;
// A shorter part of a number need not be masked: such parts also occur in dates, ids and amounts.
const SHORTEST_PART = 6;

/**
 * Masks an account number, proxy or identity: only the last characters stay, as in `DE…3000`. Four characters stay if
 * the number has eight or more, two if it has five to seven, else none. The check digits of an IBAN are masked, because
 * they help to guess the rest.
 */
export function maskNumber(number: string): string {
  const plain = Array.from(compact(number));
  const shown = plain.length >= 8 ? 4 : plain.length >= 5 ? 2 : 0;
  const country = isIban(number) ? plain.slice(0, 2).join('') : '';
  return `${country}…${plain.slice(plain.length - shown).join('')}`;
}

/**
 * Creates a function that masks numbers in a text. In a JSON text, it masks them in strings and numbers. It masks:
 * - the given numbers, however they are grouped, with or without leading zeros
 * - parts of them with 6 or more characters, such as the account number in an IBAN
 * - every other valid IBAN
 * - in JSON: texts in fields that may contain a person's name or contact data, such as `holder_name`
 */
export function createMask(numbers: readonly string[]): (text: string) => string {
  const secrets = numbers.map(compact).filter((secret) => secret !== '');
  const patterns = secrets.map(patternOf);
  const mask = (text: string): string => {
    const whole = patterns.reduce((shown, pattern) => shown.replaceAll(pattern, (number) => maskNumber(number)), text);
    return maskParts(maskIbans(whole), secrets);
  };
  return (text) => (isJson(text) ? maskJson(text, mask) : mask(text));
}

function patternOf(secret: string): RegExp {
  const bare = /^\d+$/.test(secret) ? secret.replace(/^0+(?=.{5})/, '') : secret;
  const zeros = bare === secret ? '' : '0*';
  const pattern = `${zeros}${Array.from(bare).join(GAP)}`;
  // A short number may also be a part of other words and numbers. Match it only as a whole word.
  const edge = bare.length < SHORTEST_PART;
  return new RegExp(edge ? String.raw`(?<![\p{L}\p{N}])${pattern}(?![\p{L}\p{N}])` : pattern, 'giu');
}

function maskIbans(text: string): string {
  return text.replaceAll(/(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ .-]?[A-Z0-9]){11,}/gi, (run) => {
    // The match may include the words that follow the IBAN, so try shorter texts.
    for (let end = run.length; end >= 15; end--) {
      if (/[A-Z0-9]$/i.test(run.slice(0, end)) && isIban(run.slice(0, end)))
        return maskNumber(run.slice(0, end)) + run.slice(end);
    }
    return run;
  });
}

function maskParts(text: string, secrets: readonly string[]): string {
  const hide = (run: string): string => {
    const plain = compact(run);
    const isPart = plain.length >= SHORTEST_PART && secrets.some((secret) => secret.includes(plain));
    return isPart ? maskNumber(run) : run;
  };
  const runs = text.replaceAll(/\d(?:[ ./-]?\d){5,}/g, hide);
  return runs.replaceAll(/(?=[A-Za-z]*\d)[A-Za-z0-9]{6,}/g, hide);
}

/** Whether a text is a JSON object or array. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    readJson(text);
    return true;
  } catch {
    return false;
  }
}

const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
/** Matches a string, a key with a colon and the string after it, or any other value. Used only for JSON. */
const TOKEN = new RegExp(String.raw`(${STRING})(?:(\s*:\s*)(${STRING})?)?|[^\s"{}[\],:]+`, 'g');

/** Masks the strings, numbers and keys of a JSON text. All other characters stay. */
function maskJson(text: string, mask: (text: string) => string): string {
  const maskToken = (token: string): string => {
    const plain = token.startsWith('"') ? (readJson(token) as string) : token;
    const masked = mask(plain);
    return masked === plain ? token : JSON.stringify(masked);
  };
  return text.replaceAll(TOKEN, (token, first?: string, colon?: string, value?: string) => {
    if (first === undefined || colon === undefined) return maskToken(token);
    if (value === undefined) return `${maskToken(first)}${colon}`;
    return `${maskToken(first)}${colon}${isPersonal(first, value) ? '"…"' : maskToken(value)}`;
  });
}

/** Whether a field of JSON may hold a person's name or contact data. An empty text holds nothing. */
function isPersonal(key: string, value: string): boolean {
  const snake = (readJson(key) as string).replaceAll(/([a-z])([A-Z])/g, '$1_$2');
  return value !== '""' && PERSONAL_FIELD.test(snake);
}
