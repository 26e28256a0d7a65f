import type { Refusal } from '../../schemas/pipeline/run.js';
import { LimitError, PermissionDeniedError, type ApiError } from '../api-client/index.js';

const NAME_LENGTH = 100;
const MESSAGE_LENGTH = 300;

/** What a refusal says is missing; it goes into Temporal histories, so only known fields, and short. */
export function refusalOf(stream: string, error: ApiError): Refusal {
  const told = error instanceof LimitError || error instanceof PermissionDeniedError ? error.access : null;
  const named = (...names: (string | null | undefined)[]): string | null =>
    names.find((name) => typeof name === 'string' && name !== '')?.slice(0, NAME_LENGTH) ?? null;
  return {
    stream,
    endpoint: error.endpoint,
    permission: named(told?.permission_name, told?.permission),
    module: named(told?.module_name, told?.module),
    app: named(told?.app_name, told?.app),
    guard: error instanceof LimitError ? error.guard.slice(0, NAME_LENGTH) : null,
    message: error.message.slice(0, MESSAGE_LENGTH),
  };
}

/** The API refuses a stream's route to the key, so that sending the rest of its requests would be in vain. */
export class RouteRefusedError extends Error {
  readonly refusal: ApiError;
  /** Whether a record that was answered before is refused now. */
  readonly sure: boolean;

  constructor(refusal: ApiError, sure: boolean) {
    super(refusal.message, { cause: refusal });
    this.name = 'RouteRefusedError';
    this.refusal = refusal;
    this.sure = sure;
  }
}
