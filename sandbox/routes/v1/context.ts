import type { z } from 'zod';
import { v1Error } from '../../http/errors.js';
import { pageSize } from '../../http/paging.js';
import type { Sandbox } from '../../sandbox.js';
import { check } from '../../http/validate.js';
import { FilterError } from '../../world/index.js';

/**
 * Checks a part of a request against its schema.
 *
 * @throws Refusal with an InvalidRequest body of version 1, which names only the first wrong parameter
 */
export function demandV1<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const checked = check(schema, value);
  if (checked.ok) return checked.value;
  const [param, messages] = Object.entries(checked.fields)[0] ?? ['body', ['Invalid.']];
  throw v1Error('InvalidRequest', `${param}: ${messages[0]}`, { param });
}

/**
 * Returns the page size of a request, by the same policy as in version 2.
 *
 * @throws Refusal with an InvalidRequest body when the policy refuses the size
 */
export function demandPageSizeV1(sandbox: Sandbox, asked: number | undefined): number {
  const size = pageSize(asked, sandbox.options);
  if (typeof size === 'number') return size;
  throw v1Error('InvalidRequest', `per_page: ${size['per_page']![0]}`, { param: 'per_page' });
}

/** Runs a search. Converts a FilterError into InvalidRequest of version 1. */
export function refuseFilter<T>(search: () => T): T {
  try {
    return search();
  } catch (error) {
    if (error instanceof FilterError) throw v1Error('InvalidRequest', error.message, { param: error.field });
    throw error;
  }
}
