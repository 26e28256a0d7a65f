import type { LandingStream } from '../../schemas/streams/landing-streams.js';
import { PEOPLE } from '../../schemas/streams/people.js';

/**
 * Lists what a question of a list says about a person: e-mail address, profile or names. Empty in three cases: the
 * question is about a company, the stream has no questions, or only the domain of an e-mail address was kept.
 * @param question entity_id of a landed row
 */
export function personInQuestion(stream: LandingStream, question: string | null): string[] {
  const members = PEOPLE[stream]?.asks;
  if (members === undefined || question === null) return [];
  const stated = readQuestion(question);
  return members.flatMap((name) => {
    const value = stated[name];
    return typeof value === 'string' && (name !== 'email' || /[^@]@/.test(value)) ? [value] : [];
  });
}

/**
 * Whether a question asks about the person with these values: it states the person's e-mail address, profile, full name
 * or last name. A shared first name is not enough.
 */
export function asksAbout(stream: LandingStream, question: string | null, values: ReadonlySet<string>): boolean {
  if (values.size === 0 || question === null) return false;
  const stated = readQuestion(question);
  const members = (PEOPLE[stream]?.asks ?? []).filter((name) => name !== 'first_name');
  const asked = members.flatMap((name) => {
    const value = stated[name];
    return typeof value === 'string' ? [value.toLowerCase()] : [];
  });
  if (asked.length === 0) return false;
  return [...values].some((value) => {
    const folded = value.toLowerCase();
    const words = folded.split(/\s+/);
    return asked.some((one) => one === folded || words.includes(one));
  });
}

function readQuestion(question: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(question)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
