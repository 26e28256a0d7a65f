import { createRequire } from 'node:module';
import { lazy } from './text.js';

const require = createRequire(import.meta.url);
// Load the file with `require`, because Node.js 20 prints a warning when JSON is imported.
const domains = lazy(() => new Set(require('email-providers/all.json') as string[]));

/** Whether a domain belongs to a public mail provider. Such a domain does not identify a company. */
export function isPublicMail(domain: string): boolean {
  return domains().has(domain.toLowerCase());
}
