import domains from 'free-email-domains';

const DOMAINS: ReadonlySet<string> = new Set(domains);

/** Whether a domain belongs to a mail provider that anybody can use. Its website says nothing about a company. */
export function isPublicMail(domain: string): boolean {
  return DOMAINS.has(domain.toLowerCase());
}
