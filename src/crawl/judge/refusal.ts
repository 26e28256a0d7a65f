import type { Refusal } from '../../../schemas/pipeline/refusal.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { LimitError, PermissionDeniedError, type ApiError } from '../../api/index.js';
import { TidemarkError } from '../../base/errors.js';

const MESSAGE_LENGTH = 300;

/**
 * Describes a refusal and the missing permission. The result goes into Temporal histories, so it contains only known
 * fields. The message is cut to 300 characters.
 */
export function refusalOf(stream: string, error: ApiError): Refusal {
  const access = error instanceof LimitError || error instanceof PermissionDeniedError ? error.access : null;
  const named = (...names: (string | null | undefined)[]): string | null =>
    names.find((name) => typeof name === 'string' && name !== '') ?? null;
  return {
    stream,
    endpoint: error.endpoint,
    permission: named(access?.permission_name, access?.permission),
    module: named(access?.module_name, access?.module),
    app: named(access?.app_name, access?.app),
    guard: error instanceof LimitError ? error.guard : null,
    message: error.message.slice(0, MESSAGE_LENGTH),
  };
}

/** Makes the error for filters that the API rejects. */
export function filtersRefused({ market, filters }: RunContext, refusal: string): TidemarkError {
  return new TidemarkError('ApiRefused', `The API refuses the filters of market ${market}: ${refusal}`, {
    todo: `Correct \`filters\` of that market in tidemark.yaml. Tidemark sends them unchanged: ${JSON.stringify(filters)}.`,
  });
}
