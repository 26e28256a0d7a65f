import type { z } from 'zod';
import { TidemarkError } from '../core/errors.js';

/**
 * A workflow's input, as a person typed it.
 * @param allowed an example of what is allowed, and what of it is optional
 * @throws TidemarkError `InvalidInput` saying which field is wrong and what is allowed
 */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown, allowed: string): T {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`).join('; ');
  throw wrongInput(faults, `Allowed: ${allowed}.`);
}

export function wrongInput(what: string, todo: string): TidemarkError {
  return new TidemarkError('InvalidInput', `Wrong input: ${what}.`, { todo });
}
