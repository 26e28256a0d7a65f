import { expect } from 'vitest';

import { errors, type Route } from './reference.js';
import type { Answer } from './sandbox-calls.js';
import { holds } from './types.js';

interface ErrorShape {
  status: number | null;
  /** Maps each field to its type. `a | b` means one of both fields, `*` means every field. */
  body: Record<string, string>;
  data?: Record<string, string>;
}

export type ErrorName<G extends keyof typeof errors> = keyof (typeof errors)[G] & string;

/** Asserts that an answer is a documented error: its status, if stated, and the shape of its body. */
export function expectError<G extends keyof typeof errors>(answer: Answer, group: G, name: ErrorName<G>): void {
  const shape = errors[group][name] as ErrorShape;
  const body = answer.body as Record<string, unknown>;
  const about = `${group} ${name}: ${answer.status} ${JSON.stringify(body)}`;
  if (shape.status === null) expect(answer.status, about).toBeGreaterThanOrEqual(400);
  else expect(answer.status, about).toBe(shape.status);
  const keys = Object.keys(shape.body).flatMap((field) => (field === '*' ? Object.keys(body) : field.split(' | ')));
  expect(Object.keys(body).length, about).toBeGreaterThan(0);
  expect(
    Object.keys(body).filter((key) => !keys.includes(key)),
    about,
  ).toEqual([]);
  for (const [field, type] of Object.entries(shape.body)) {
    const values =
      field === '*' ? Object.values(body) : field.split(' | ').flatMap((key) => (key in body ? [body[key]] : []));
    expect(values.length, about).toBeGreaterThan(0);
    for (const value of values) expect(holds(type, value), about).toBe(true);
  }
  if (group === 'v1') expect(body['error_name'], about).toBe(name);
  for (const [field, type] of Object.entries(shape.data ?? {})) {
    const data = body['data'] as Record<string, unknown>;
    // If a slug is unknown, the error names it `slug` instead of `id`.
    expect(holds(type, data[field] ?? (field === 'id' ? data['slug'] : undefined)), about).toBe(true);
  }
}

/** Asserts that a parameter was refused as its route's family does it, and that the error names it. */
export function expectRefusal(answer: Answer, { group }: Route, parameter: string): void {
  const body = answer.body as Record<string, unknown>;
  if (group === 'v2') {
    expectError(answer, 'v2', 'InvalidRequest');
    expect(Object.keys(body)).toContain(parameter);
  } else if (group === 'v1') {
    expectError(answer, 'v1', 'InvalidRequest');
    expect(body['data']).toEqual({ param: parameter });
  } else {
    expectError(answer, 'connector', 'Validation error');
    expect((body['detail'] as { loc: unknown[] }[]).map(({ loc }) => loc[1])).toContain(parameter);
  }
}
