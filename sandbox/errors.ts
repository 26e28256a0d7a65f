import { V1_ERROR_STATUS, type V1ErrorName } from '../schemas/v1/error.js';
import type { Statuses } from './options.js';

/** An answer that is not a success: thrown by handlers, sent as it is. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`answered with ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.body = body;
  }
}

/** Errors of version 2, section "Errors": bodies as stated, statuses from the sandbox's table. */
export class V2Errors {
  readonly #statuses: Statuses;

  constructor(statuses: Statuses) {
    this.#statuses = statuses;
  }

  token(detail = 'Invalid token.'): Refusal {
    return new Refusal(this.#statuses.token, { detail });
  }

  /** `fields`: field name to its messages. */
  invalid(fields: Record<string, string[]>): Refusal {
    return new Refusal(this.#statuses.invalid, fields);
  }

  notFound(detail = 'Not found.'): Refusal {
    return new Refusal(this.#statuses.notFound, { detail });
  }

  internal(detail = 'Internal server error.'): Refusal {
    return new Refusal(this.#statuses.internal, { detail });
  }

  limit(guard: 'limits.daily' | 'limit', message: string): Refusal {
    return new Refusal(this.#statuses.limit, {
      access: {
        permission: 'company_data.browse',
        permission_name: 'Browse company data',
        module: 'company_data',
        module_name: 'Company data',
        app: 'api',
        app_name: 'Company Data API',
      },
      error_guard: guard,
      message_guard: message,
    });
  }

  /** Autocomplete without a field that identifies a company. */
  autocomplete(messages: string[]): Refusal {
    return new Refusal(this.#statuses.autocomplete, { fields: messages });
  }
}

/** The integer is under `code` for some errors and `error_code` for others; which is this sandbox's choice. */
const CODE_KEY: Record<V1ErrorName, 'code' | 'error_code'> = {
  TokenVerificationError: 'code',
  InvalidRequest: 'error_code',
  InternalError: 'code',
  IdNotFound: 'error_code',
  ProductPermissionDenied: 'code',
};

/** An error of version 1, section "Version 1 error body". */
export function v1Error(name: V1ErrorName, message: string, data: Record<string, unknown> = {}): Refusal {
  const status = V1_ERROR_STATUS[name];
  return new Refusal(status, { error_name: name, [CODE_KEY[name]]: status, message, data });
}
