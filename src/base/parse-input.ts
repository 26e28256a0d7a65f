import type { z } from 'zod';
import { TidemarkError } from './errors.js';

/**
 * Parses a workflow's input, which a person may have typed.
 * @param allowed an example of valid input, which also says which fields are optional
 * @throws TidemarkError `InvalidInput` with the wrong field and the allowed input
 */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown, allowed: string): T {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`).join('; ');
  throw wrongInput(faults, `Allowed: ${allowed}.`);
}

/**
 * Makes the error for wrong input.
 * @param what what is wrong, as a part of the message
 * @param todo a sentence that says what to do
 */
export function wrongInput(what: string, todo: string): TidemarkError {
  return new TidemarkError('InvalidInput', `Wrong input: ${what}.`, { todo });
}
