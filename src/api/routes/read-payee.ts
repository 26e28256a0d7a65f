import { PayeeDecision } from '../../../schemas/v2/payee.js';

/*
 * The decision of a payee check. The reference names the three decisions, but shows no answer (section "Other routes
 * named for version 2").
 */

/**
 * Reads the decision of an answer, by the rules of `payee_words` in sql/macros/payee.sql:
 * - the fields named `decision` nearest to the top of the answer
 * - without such a field: every text that is one of the three decisions
 *
 * @param answer the answer as JSON (`response.data`)
 * @returns null when the answer names no decision, several, or an unknown one
 */
export function readPayeeDecision(answer: unknown): PayeeDecision | null {
  let named: string[] = [];
  const anywhere: string[] = [];
  for (let level = [answer]; level.length > 0; level = level.flatMap(membersOf)) {
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const [key, text] of Object.entries(value)) {
        if (typeof text !== 'string') continue;
        const word = wordOf(text);
        if (key.toLowerCase() === 'decision') named.push(word);
        else if (isDecision(word)) anywhere.push(word);
      }
    }
    if (named.length > 0) break;
  }
  if (typeof answer === 'string') named = [wordOf(answer)];
  const words = new Set(named.length > 0 ? named : anywhere);
  const [word] = words;
  return words.size === 1 && word !== undefined && isDecision(word) ? word : null;
}

/** Writes a decision as the reference does: `ok to pay` and `Ok-To-Pay` give `OK_TO_PAY`. */
function wordOf(text: string): string {
  return text
    .trim()
    .replaceAll(/[\s_-]+/g, '_')
    .toUpperCase();
}

function isDecision(word: string): word is PayeeDecision {
  return PayeeDecision.safeParse(word).success;
}

function membersOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
