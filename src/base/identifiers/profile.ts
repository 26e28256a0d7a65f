import { settle, type Given, type Sameness } from './text.js';
import { hostOf, normalizeAddress, sameWebsite } from './website.js';

// Path segments before the name of a company or person.
const KINDS = /^(company|companies|school|showcase|organization|in|pub|people)$/;

/** The parts of a profile's address. */
interface Profile {
  site: string;
  /** What the profile is about; '' if the address does not say so. */
  kind: string;
  /** Name in the address: `firm-ltd`. */
  name: string;
}

function parse(value: string): Profile | null {
  const address = normalizeAddress(value);
  const site = hostOf(value);
  const segments = settle(address.slice(address.indexOf('/') + 1), decoded)
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '');
  const at = segments.findIndex((segment) => KINDS.test(segment));
  const name = segments[at === -1 ? 0 : at + 1];
  if (name === undefined || !address.includes('/')) return null;
  return { site, kind: at === -1 ? '' : (segments[at] ?? ''), name };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).normalize('NFC');
  } catch {
    return text;
  }
}

/** Compares two addresses of profiles. Language, mobile host, subpage and query make no difference. */
export function sameProfile(one: Given, other: Given): Sameness {
  const [a, b] = [parse(one.value), parse(other.value)];
  if (a === null || b === null) return 'unknown';
  if (a.name !== b.name || a.kind !== b.kind) return 'different';
  // The same network has one domain, but a host for each language.
  return sameSite(a.site, b.site) ? 'equal' : 'different';
}

function sameSite(a: string, b: string): boolean {
  const [one, other] = [mainHost(a), mainHost(b)];
  return one === other || sameWebsite({ value: one }, { value: other }) === 'equal';
}

/** Removes the part of a host name that selects a language or the pages for mobile phones. */
function mainHost(host: string): string {
  return host.replace(/^(?:[a-z]{2}|m|touch|mobile)\.(?=.*\.)/, '');
}

/** Returns the spelling to ask first, and one other if the address has a subpage or a host for a language. */
export function profileSpellings(value: string): string[] {
  const given = normalizeAddress(value);
  const profile = parse(value);
  if (profile === null) return [given];
  const path = profile.kind === '' ? profile.name : `${profile.kind}/${profile.name}`;
  return [...new Set([given, `${mainHost(profile.site)}/${path}`])];
}
