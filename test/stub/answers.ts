import { ACCESS_OF, type Permission } from './permissions.js';
import type { Answer, Guard, PermissionShape, StubState } from './state.js';

/** The status of a version 2 error. The reference states none, so it is one of several 4xx, or 200. */
function statusOf(state: StubState, some: readonly number[]): number {
  return state.options.errors === 'ok' ? 200 : (some[state.turn % some.length] ?? 400);
}

export function invalid(state: StubState, field: string, message: string): Answer {
  return { status: statusOf(state, [400, 418, 422]), body: { [field]: [message] } };
}

export function notFound(state: StubState): Answer {
  return { status: statusOf(state, [404, 410]), body: { detail: 'Not found.' } };
}

export function limitReached(
  state: StubState,
  guard: Guard,
  { access = ACCESS_OF.financials, message: told }: { access?: object | undefined; message?: string | undefined } = {},
): Answer {
  if (guard === 'limits.daily') state.dailyLimitAnswers++;
  const message = guard === 'limit' ? 'Too many requests at once.' : 'The daily browsing limit is reached.';
  return {
    status: statusOf(state, [429, 402, 403]),
    body: { message_guard: told ?? message, error_guard: guard, access },
    headers: guard === 'limit' && state.turn % 2 === 0 ? { 'retry-after': '1' } : {},
  };
}

export function denied(shape: PermissionShape, permission: Permission = 'financials'): Answer {
  const v1 = { error_name: 'ProductPermissionDenied', message: 'No permission to the object.', data: {} };
  switch (shape) {
    case 'detail':
      return { status: 403, body: { detail: 'You do not have permission to perform this action.' } };
    case 'access':
      return {
        status: 402,
        body: { access: ACCESS_OF[permission], error_guard: 'permission', message_guard: 'No permission.' },
      };
    case 'code':
      return { status: 403, body: { ...v1, code: 403 } };
    case 'error_code':
      return { status: 418, body: { ...v1, error_code: 403 } };
  }
}

/** An error of version 1; its code has one of two documented names. */
export function v1Error(state: StubState, name: string, status: number, data: object): Answer {
  const integer = state.turn % 2 === 0 ? { code: status } : { error_code: status };
  return { status, body: { data, message: `${name}.`, ...integer, error_name: name } };
}

/** One page of rows and the page size; null if the size is refused. */
export function pageOf<T>(
  rows: readonly T[],
  { page = 1, per_page }: { page?: unknown; per_page?: unknown },
  { standard, most, above }: StubState['options']['page'],
): { rows: T[]; size: number } | null {
  const wanted = per_page === undefined || per_page === null ? standard : Number(per_page);
  if (wanted > most && above === 'refused') return null;
  const size = Math.min(wanted, most);
  const from = (Number(page) - 1) * size;
  return { rows: rows.slice(from, from + size), size };
}
