/** Domains of mail providers that anybody can use. Their website says nothing about the company of an address. */
const DOMAINS: ReadonlySet<string> = new Set([
  'aol.com',
  'gmail.com',
  'gmx.de',
  'gmx.net',
  'googlemail.com',
  'hotmail.com',
  'icloud.com',
  'live.com',
  'mail.com',
  'mail.ru',
  'msn.com',
  'outlook.com',
  'proton.me',
  'protonmail.com',
  'qq.com',
  'web.de',
  'yahoo.com',
  'ymail.com',
]);

// Providers with a domain in each country.
const IN_COUNTRIES = /^(gmx|hotmail|live|outlook|yahoo)\.(co\.|com\.)?[a-z]{2}$/;

export function isPublicMail(domain: string): boolean {
  return DOMAINS.has(domain) || IN_COUNTRIES.test(domain);
}
