import { createRequire } from 'node:module';

// Load the file with `require`, because Node.js 20 prints a warning when JSON is imported.
const DOMAINS: ReadonlySet<string> = new Set(createRequire(import.meta.url)('email-providers/all.json') as string[]);

/** Whether a domain belongs to a public mail provider. Such a domain does not identify a company. */
export function isPublicMail(domain: string): boolean {
  return DOMAINS.has(domain.toLowerCase());
}
