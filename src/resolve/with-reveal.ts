import { canonicalJson } from '../planner/request-key.js';

/** Adds the contact data to reveal to a question about a person. */
export function withReveal(question: string, reveal: readonly string[]): string {
  if (reveal.length === 0) return question;
  return canonicalJson({ ...(JSON.parse(question) as object), reveal: reveal.join(',') });
}
