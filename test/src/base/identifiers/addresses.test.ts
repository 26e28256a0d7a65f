import { describe, expect, it } from 'vitest';
import { domainOf, normalizeEmail } from '../../../../src/base/identifiers/email.js';
import { sameIdentifier, type IdentifierKind, type Sameness } from '../../../../src/base/identifiers/identifiers.js';
import { normalizePhone, phoneSpellings } from '../../../../src/base/identifiers/phone.js';
import { profileSpellings } from '../../../../src/base/identifiers/profile.js';
import { isOwnSite, normalizeAddress, websiteSpellings } from '../../../../src/base/identifiers/website.js';
import { MAIL, NETWORK } from '../../../helpers/known-domains.js';

type Side = [value: string, country?: string | undefined];

function compare(kind: IdentifierKind, [a, countryA]: Side, [b, countryB]: Side): Sameness[] {
  const [one, other] = [
    { value: a, country: countryA },
    { value: b, country: countryB },
  ];
  return [sameIdentifier(kind, one, other), sameIdentifier(kind, other, one)];
}

describe('telephone numbers', () => {
  // Forms of E.123, E.164 and RFC 3966, and of common lists.
  it.each<[value: string, country: string | undefined, e164: string]>([
    ['+44 20 7946 0018', undefined, '+442079460018'],
    ['0044 20 7946 0018', undefined, '+442079460018'],
    ['+44 (0)20 7946 0018', undefined, '+442079460018'],
    ['00 44 (0) 20 7946 0018', undefined, '+442079460018'],
    ['tel:+44-20-7946-0018', undefined, '+442079460018'],
    ['tel:+44-20-7946-0018;ext=12', undefined, '+442079460018'],
    ['+44 20 7946 0018 ext. 12', undefined, '+442079460018'],
    ['+44 20 7946 0018x12', undefined, '+442079460018'],
    ['+44.20.7946.0018', undefined, '+442079460018'],
    ['＋４４ ２０ ７９４６ ００１８', undefined, '+442079460018'],
    ['Tel.: +44 20 7946 0018', undefined, '+442079460018'],
    ['+44 20 7946 0018 / +44 20 7946 0019', undefined, '+442079460018'],
    ['020 7946 0018', 'GB', '+442079460018'],
    ['020 7946 0018', 'UK', '+442079460018'],
    ['(020) 7946 0018', 'GB', '+442079460018'],
    ['(0)20 7946 0018', 'GB', '+442079460018'],
    ['20 7946 0018', 'GB', '+442079460018'],
    ['020 7946 0018 x12', 'GB', '+442079460018'],
    ['020 7946 0018 Durchwahl 12', 'GB', '+442079460018'],
    ['011 44 20 7946 0018', 'US', '+442079460018'],
    ['(212) 555-0100', 'US', '+12125550100'],
    ['1-212-555-0100', 'US', '+12125550100'],
    ['1-212-555-TEXT', 'US', '+12125558398'],
    ['33 12 34 56', 'DK', '+4533123456'],
    ['06 1234 5678', 'IT', '+390612345678'],
    ['+39 06 1234 5678', undefined, '+390612345678'],
    ['089 / 1234-0', 'DE', '+498912340'],
    ['8 495 123-45-67', 'RU', '+74951234567'],
    ['٠٢٠ ٧٩٤٦ ٠٠١٨', 'GB', '+442079460018'],
  ])('%s in %s is %s', (value, country, e164) => {
    expect(compare('phone', [value, country], [e164])).toEqual(['equal', 'equal']);
    expect(phoneSpellings({ value: normalizePhone(value), country })).toContain(e164);
    expect(phoneSpellings({ value: normalizePhone(value), country }).length).toBeLessThanOrEqual(3);
  });

  it.each<[Side, Side, Sameness]>([
    [['+49 89 1234-12'], ['+49 89 1234-0'], 'equal'],
    [['+49 89 1234-12'], ['089 1234', 'DE'], 'equal'],
    [['+49 89 1234-12'], ['+49 89 123412'], 'equal'],
    [['+49 89 1234-12'], ['+49 89 1234-34'], 'unknown'],
    // The dash is behind the area code.
    [['+49-6221-12345'], ['+49-6221-54321'], 'different'],
    [['020 7946 0018', 'GB'], ['020 7946 0018', 'GB'], 'equal'],
    [['020 7946 0018', 'GB'], ['020 7946 0019', 'GB'], 'different'],
    [['33 12 34 56', 'DK'], ['33 12 34 56', 'SE'], 'different'],
    [['+45 33 12 34 56'], ['+46 33 12 34 56'], 'different'],
    [['7946 0018'], ['+44 20 7946 0018'], 'unknown'],
    [['n/a'], ['n/a'], 'unknown'],
    [['+44 20 7946 0019 / +44 20 7946 0018'], ['+44 20 7946 0018'], 'equal'],
  ])('%s and %s', (one, other, sameness) => {
    expect(compare('phone', one, other)).toEqual([sameness, sameness]);
  });
});

describe('websites', () => {
  // Forms of RFC 3986, UTS 46 and the Public Suffix List.
  it.each([
    'https://firm.co.uk',
    'HTTP://WWW.FIRM.CO.UK/',
    'firm.co.uk:8443',
    'firm.co.uk.',
    'https://firm.co.uk/en/contact?utm_source=list&utm_medium=mail#top',
    'https://user:password@firm.co.uk/',
    '//firm.co.uk/path',
    'http:\\\\firm.co.uk',
    'info@firm.co.uk',
    'mailto:info@firm.co.uk',
    'ｆｉｒｍ。co.uk',
    'shop.firm.co.uk',
    'www2.firm.co.uk',
    ' firm.co.uk\u00a0',
  ])('belong to firm.co.uk: %s', (value) => {
    expect(compare('website', [value], ['www.firm.co.uk'])).toEqual(['equal', 'equal']);
    expect(websiteSpellings(normalizeAddress(value))).toContain('firm.co.uk');
  });

  it.each<[one: string, other: string, sameness: Sameness]>([
    ['münchen-stahl.example', 'xn--mnchen-stahl-dlb.example', 'equal'],
    ['MÜNCHEN-STAHL.example', 'https://XN--MNCHEN-STAHL-DLB.example/', 'equal'],
    ['mu\u0308nchen-stahl.example', 'münchen-stahl.example', 'equal'],
    ['straße.example', 'strasse.example', 'different'],
    ['firm.co.uk', 'other.co.uk', 'different'],
    ['firm.co.uk', 'firm.uk', 'different'],
    ['firm.com', 'firm.de', 'different'],
    ['one.eu.org', 'two.eu.org', 'different'],
    ['one.eu.org/a', 'https://one.eu.org', 'equal'],
    ['one.firm.com', 'two.firm.com', 'unknown'],
    ['eu.org', 'eu.org', 'unknown'],
    ['localhost', 'localhost', 'unknown'],
    ['192.0.2.1', '192.0.2.1', 'unknown'],
    [`${NETWORK}/one`, `${NETWORK}/two`, 'unknown'],
    [`${NETWORK}/one`, NETWORK, 'unknown'],
    [`https://www.${NETWORK}/one?ref=x`, `${NETWORK}/one/`, 'equal'],
  ])('%s and %s', (one, other, sameness) => {
    expect(compare('website', [one], [other])).toEqual([sameness, sameness]);
  });

  it('are asked as given, then in the other alphabet, then by their domain', () => {
    expect(websiteSpellings('münchen-stahl.example/kontakt')).toEqual([
      'münchen-stahl.example',
      'xn--mnchen-stahl-dlb.example',
    ]);
    expect(websiteSpellings('shop.firm.example')).toEqual(['shop.firm.example', 'firm.example']);
    expect(websiteSpellings('firm.example')).toEqual(['firm.example']);
  });

  it('identify no company if they are pages of a network or market place', () => {
    const pages = [`${NETWORK}/one`, `https://m.${NETWORK}/pages/one`, `${NETWORK}/@one`, `firm.example/${NETWORK}`];
    expect(pages.map((page) => isOwnSite(normalizeAddress(page)))).toEqual([false, false, false, true]);
  });
});

describe('e-mail addresses', () => {
  it.each([
    ['Jane@Firm.Example', 'jane@firm.example'],
    ['Jane Doe <Jane@firm.example>', 'jane@firm.example'],
    ['"Doe, Jane" <jane@firm.example>', 'jane@firm.example'],
    ['mailto:jane@firm.example?subject=Hello', 'jane@firm.example'],
    ['<mailto:jane@firm.example>', 'jane@firm.example'],
    [' jane@firm.example. ', 'jane@firm.example'],
    ['jane@firm.example; john@firm.example', 'jane@firm.example'],
    ['ｊａｎｅ＠ｆｉｒｍ．example', 'jane@firm.example'],
    ['info (at) firm', 'info (at) firm'],
    ['@firm.example', '@firm.example'],
  ])('%s is written %s', (value, written) => {
    expect(normalizeEmail(value)).toBe(written);
  });

  it.each<[one: string, other: string, sameness: Sameness]>([
    ['jane+list@firm.example', 'JANE@firm.example', 'equal'],
    ['jane@münchen-stahl.example', 'jane@xn--mnchen-stahl-dlb.example', 'equal'],
    ['jane@firm.example', 'john@firm.example', 'different'],
    ['jane@firm.example', 'jane@other.example', 'different'],
    ['jane', 'jane', 'unknown'],
  ])('%s and %s', (one, other, sameness) => {
    expect(compare('email', [one], [other])).toEqual([sameness, sameness]);
  });

  it.each<[email: string, other: string, sameness: Sameness]>([
    ['info@firm.example', 'https://www.firm.example/en', 'equal'],
    ['info@mail.firm.example', 'firm.example', 'equal'],
    ['firm.example', 'sales@firm.example', 'equal'],
    ['info@münchen-stahl.example', 'xn--mnchen-stahl-dlb.example', 'equal'],
    ['info@firm.example', 'other.example', 'different'],
    ['one@one.eu.org', 'two.eu.org', 'different'],
    [`firm@${MAIL}`, `firm@${MAIL}`, 'unknown'],
    [`firm@${MAIL}`, MAIL, 'unknown'],
  ])('the company of %s has the address %s', (email, other, sameness) => {
    expect(compare('mail_domain', [email], [other])).toEqual([sameness, sameness]);
  });

  it('give their domain', () => {
    expect(domainOf('jane@MAIL.Firm.example')).toBe('mail.firm.example');
  });
});

describe('profiles', () => {
  const PROFILE = 'https://pronet.example/company/firm-ltd';

  it.each<[value: string, sameness: Sameness]>([
    ['http://www.pronet.example/company/firm-ltd/', 'equal'],
    ['pronet.example/company/Firm-Ltd', 'equal'],
    ['https://dk.pronet.example/company/firm-ltd', 'equal'],
    ['https://m.pronet.example/company/firm-ltd/about/?trk=x', 'equal'],
    ['https://pronet.example/company/firm%2Dltd#posts', 'equal'],
    ['https://pronet.example/company/firm', 'different'],
    ['https://pronet.example/in/firm-ltd', 'different'],
    ['https://pronet.example/school/firm-ltd', 'different'],
    ['https://socialnet.example/company/firm-ltd', 'different'],
    ['https://pronet.example', 'unknown'],
    ['https://pronet.example/company/', 'unknown'],
  ])('%s', (value, sameness) => {
    expect(compare('profile', [value], [PROFILE])).toEqual([sameness, sameness]);
  });

  it('are also asked without language and subpage', () => {
    expect(profileSpellings('https://dk.pronet.example/company/firm-ltd/about')).toEqual([
      'dk.pronet.example/company/firm-ltd/about',
      'pronet.example/company/firm-ltd',
    ]);
  });
});
