import { canonicalJson } from '../../../base/json/canonical-json.js';

/** Adds to a question about a person the kinds of contact data that the API shall reveal, such as `email`. */
export function withReveal(question: string, reveal: readonly string[]): string {
  if (reveal.length === 0) return question;
  return canonicalJson({ ...(JSON.parse(question) as object), reveal: reveal.join(',') });
}
