import { createRequire } from 'node:module';
import { domainToASCII, domainToUnicode } from 'node:url';
import type * as SocialLinks from 'social-link-parser';
import type * as Tldts from 'tldts';
import { lazy, settle, type Given, type Sameness } from './text.js';

const require = createRequire(import.meta.url);
const tldts = lazy(() => require('tldts') as typeof Tldts);
const socialLinks = lazy(() => require('social-link-parser') as typeof SocialLinks);
let shared: ReadonlySet<string> | undefined;

/** A website, taken apart. */
interface Site {
  /** Host name in ASCII, without `www.`: `xn--mnchen-3ya.example`. */
  host: string;
  /** The part of the host name that one owner has: `firm.co.uk`, `tenant.eu.org`. */
  domain: string;
  /** Path in lower case, without a slash at the end: `/company/firm`. */
  path: string;
}

/**
 * Writes a web address in lower case, without scheme, user, port, `www.`, query and final slash. An e-mail address
 * becomes its domain.
 */
export function normalizeAddress(value: string): string {
  return settle(value, (given) => {
    const [host, path] = hostAndPath(given);
    return `${host}${path}`;
  });
}

/** Returns the host name of a web address or e-mail address, without `www.`. */
export function hostOf(value: string): string {
  return settle(value, (given) => hostAndPath(given)[0]);
}

function hostAndPath(value: string): [host: string, path: string] {
  const text = value
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^(?:[a-z][a-z0-9+.-]*:[/\\]+|[/\\]{2,}|mailto:)/, '');
  const [, authority = '', path = ''] = /^([^/\\?#]*)([^?#]*)/.exec(text) ?? [];
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .replaceAll(/[。．｡]/g, '.')
    .replace(/[.\s]+$/, '')
    .replace(/^www\d{0,2}\.(?=.*\.)/, '');
  return [host, path.replaceAll('\\', '/').replace(/[\s/]+$/, '')];
}

function parse(value: string): Site | null {
  const [name, path] = hostAndPath(value);
  const host = domainToASCII(name);
  const domain = host === '' ? null : tldts().parse(host, { allowPrivateDomains: true }).domain;
  return domain === null ? null : { host, domain, path };
}

/** Whether many companies have pages on the host: social networks, market places and lists of links. */
function isShared({ domain }: Site): boolean {
  shared ??= new Set([...socialLinks().registry.values()].flatMap(({ domains }) => domains));
  return shared.has(domain);
}

/**
 * Whether a web address identifies a company. A page on a social network or market place does not: its domain belongs to
 * the network.
 */
export function isOwnSite(value: string): boolean {
  const site = parse(value);
  return site === null || site.path === '' || !isShared(site);
}

/**
 * Compares two websites by their registrable domain. Scheme, port, path, query and `www.` make no difference. Suffixes
 * under which anybody can register a name, such as `eu.org`, count as public.
 */
export function sameWebsite(one: Given, other: Given): Sameness {
  const [a, b] = [parse(one.value), parse(other.value)];
  if (a === null || b === null) return 'unknown';
  if (a.domain !== b.domain) return 'different';
  if (isShared(a) && a.path !== b.path) return 'unknown';
  if (a.host === b.host || a.host === a.domain || b.host === b.domain) return 'equal';
  // Two subdomains may belong to two tenants.
  return 'unknown';
}

/** Returns the spelling to ask first, and at most two others that are worth a request. */
export function websiteSpellings(value: string): string[] {
  const host = hostOf(value);
  const site = parse(value);
  if (site === null) return [host === '' ? value : host];
  const twin = host === site.host ? domainToUnicode(site.host) : site.host;
  return [...new Set([host, twin, site.domain])].filter((spelling) => spelling !== '');
}
