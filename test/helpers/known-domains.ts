import { createRequire } from 'node:module';
import type * as SocialLinks from 'social-link-parser';

const require = createRequire(import.meta.url);
const { registry } = require('social-link-parser') as typeof SocialLinks;

/** A domain of a social network, from the list that Tidemark uses. */
export const NETWORK =
  [...registry.values()].flatMap(({ domains }) => domains).find((domain) => /^[a-z]{6,}\.com$/.test(domain)) ?? '';

/** A domain where everybody can have an e-mail address, from the list that Tidemark uses. */
export const MAIL =
  (require('email-providers/all.json') as string[]).find((domain) => /^[a-z]{6,}\.com$/.test(domain)) ?? '';
