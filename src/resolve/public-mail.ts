import { createRequire } from 'node:module';

// Loaded by `require`, because Node.js 20 warns about imported JSON.
const DOMAINS: ReadonlySet<string> = new Set(createRequire(import.meta.url)('email-providers/all.json') as string[]);

/** Whether a domain belongs to a mail provider that anybody can use. Its website says nothing about a company. */
export function isPublicMail(domain: string): boolean {
  return DOMAINS.has(domain.toLowerCase());
}
