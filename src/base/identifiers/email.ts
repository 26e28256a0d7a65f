import { isPublicMail } from './public-mail.js';
import type { Given, Sameness } from './text.js';
import { settle } from './text.js';
import { hostOf, sameWebsite } from './website.js';

/** Writes an e-mail address in lower case, without a name, `mailto:` and the options of such a link. */
export function normalizeEmail(value: string): string {
  return settle(value, (given) => {
    const text = given.normalize('NFKC').trim().toLowerCase().normalize('NFKC').replaceAll(/\s+/g, ' ');
    const bracketed = /<([^<>]*@[^<>]*)>/.exec(text)?.[1] ?? text;
    const address = bracketed
      .trim()
      .replace(/^mailto:/, '')
      .replace(/(?<=@[^?]*)\?.*$/, '');
    // A cell may hold several addresses.
    const parts = address.split(/[;,\s|]+/).filter((part) => part.includes('@'));
    return (parts[0] ?? address).replace(/^[<('"]+|[>)'".]+$/g, '').trim();
  });
}

/** Returns the domain of an e-mail address. A text without `@` is treated as a domain. */
export function domainOf(email: string): string {
  return hostOf(email.slice(email.lastIndexOf('@') + 1));
}

/**
 * Compares the company of an e-mail address with that of a website or of another e-mail address, by their domains.
 * Domains of public mail providers show nothing.
 */
export function sameMailDomain(one: Given, other: Given): Sameness {
  const [a, b] = [domainOf(one.value), domainOf(other.value)];
  if (isPublicMail(a) || isPublicMail(b)) return 'unknown';
  return sameWebsite({ value: a }, { value: b });
}

/** Compares two e-mail addresses. A tag after a plus sign makes no difference. */
export function sameEmail(one: Given, other: Given): Sameness {
  const [a, b] = [normalizeEmail(one.value), normalizeEmail(other.value)];
  if (!a.includes('@') || !b.includes('@')) return 'unknown';
  if (localPart(a) !== localPart(b)) return 'different';
  return sameWebsite({ value: domainOf(a) }, { value: domainOf(b) }) === 'equal' ? 'equal' : 'different';
}

function localPart(address: string): string {
  return address.slice(0, address.lastIndexOf('@')).replace(/(?<=.)\+.*$/, '');
}
