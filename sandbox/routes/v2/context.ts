import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { MetricName } from '../../state/quota.js';
import type { Sandbox } from '../../sandbox.js';
import { pageSize } from '../../http/paging.js';
import { check } from '../../http/validate.js';
import { FilterError } from '../../world/index.js';

/**
 * Checks a part of a request against its schema.
 *
 * @throws Refusal with an InvalidRequest body that names the wrong fields
 */
export function demand<T extends z.ZodType>(sandbox: Sandbox, schema: T, value: unknown): z.infer<T> {
  const checked = check(schema, value);
  if (!checked.ok) throw sandbox.errors.invalid(checked.fields);
  return checked.value;
}

/**
 * Counts a call towards the daily limit and the rate limit.
 *
 * @throws Refusal with a LimitError body when a limit is reached
 */
export function spend(sandbox: Sandbox, metric: MetricName): void {
  const broken = sandbox.quota.take(metric, Date.now());
  if (broken === 'limits.daily') throw sandbox.errors.limit(broken, 'The daily browsing limit is reached.', metric);
  if (broken === 'limit') throw sandbox.errors.limit(broken, 'Too many requests: slow down.', metric);
}

/**
 * Returns the page size of a request.
 *
 * @throws Refusal with an InvalidRequest body for `per_page` when the policy refuses the size
 */
export function demandPageSize(
  sandbox: Sandbox,
  asked: number | undefined,
  maxPerPage = sandbox.options.maxPerPage,
): number {
  const size = pageSize(asked, { ...sandbox.options, maxPerPage });
  if (typeof size !== 'number') throw sandbox.errors.invalid(size);
  return size;
}

/**
 * Parses the numeric id in the path.
 *
 * @throws Refusal with the "not found" body for a text that cannot be an id
 */
export function pathId(sandbox: Sandbox, request: FastifyRequest): number {
  const { id } = request.params as { id: string };
  if (!/^\d{1,15}$/.test(id)) throw sandbox.errors.notFound();
  return Number(id);
}

/** Runs a search. Converts a FilterError into InvalidRequest. */
export function refuseFilter<T>(sandbox: Sandbox, search: () => T): T {
  try {
    return search();
  } catch (error) {
    if (error instanceof FilterError) throw sandbox.errors.invalid({ [error.field]: [error.message] });
    throw error;
  }
}
