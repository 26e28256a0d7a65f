import { V1_ERROR_STATUS, type V1ErrorName } from '../../schemas/v1/error.js';
import type { LimitAccess } from '../../schemas/v2/error.js';
import type { Statuses } from '../options.js';
import { METRICS, type MetricName } from '../state/quota.js';
import { PERMISSIONS, type Permission } from './permissions.js';

/** An error answer. Handlers throw it. The error handler sends its status and body unchanged. */
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

/**
 * Errors of version 2. The bodies follow the reference's section "Errors". The statuses come from the sandbox's
 * options.
 */
export class V2Errors {
  readonly #statuses: Statuses;

  readonly #permissionBody: 'detail' | 'access';

  constructor(statuses: Statuses, permissionBody: 'detail' | 'access') {
    this.#statuses = statuses;
    this.#permissionBody = permissionBody;
  }

  token(detail = 'Invalid token.'): Refusal {
    return new Refusal(this.#statuses.token, { detail });
  }

  /** @param fields Messages by field name */
  invalid(fields: Record<string, string[]>): Refusal {
    return new Refusal(this.#statuses.invalid, fields);
  }

  notFound(detail = 'Not found.'): Refusal {
    return new Refusal(this.#statuses.notFound, { detail });
  }

  internal(detail = 'Internal server error.'): Refusal {
    return new Refusal(this.#statuses.internal, { detail });
  }

  /**
   * Returns the error for a reached limit. `metric` is the kind of call that reached the limit, such as `financials`.
   * The error calls it "module".
   */
  limit(guard: 'limits.daily' | 'limit', message: string, metric: MetricName): Refusal {
    const access = accessOf(metric, METRICS[metric]);
    return new Refusal(this.#statuses.limit, { access, error_guard: guard, message_guard: message });
  }

  /**
   * Returns the error for an API key without the permission. The reference does not name such an error for version 2.
   */
  permission(permission: Permission): Refusal {
    const message = `This API key has no permission "${permission}".`;
    const access = accessOf(permission, PERMISSIONS[permission]);
    const told =
      this.#permissionBody === 'detail'
        ? { detail: message }
        : { access, error_guard: 'permission', message_guard: message };
    return new Refusal(this.#statuses.permission, told);
  }

  /** Returns the error for an autocomplete request without a field that identifies a company. */
  autocomplete(messages: string[]): Refusal {
    return new Refusal(this.#statuses.autocomplete, { fields: messages });
  }
}

function accessOf(permission: string, name: string): LimitAccess {
  return {
    permission,
    permission_name: name,
    module: permission,
    module_name: name,
    app: 'api',
    app_name: 'Company Data API',
  };
}

/**
 * Name of the field with the error's number. The reference calls it `code` for some errors and `error_code` for others.
 * Where the reference is silent, the sandbox chose the name.
 */
const CODE_KEY: Record<V1ErrorName, 'code' | 'error_code'> = {
  TokenVerificationError: 'code',
  InvalidRequest: 'error_code',
  InternalError: 'code',
  IdNotFound: 'error_code',
  ProductPermissionDenied: 'code',
};

/**
 * Returns an error of version 1 (section "Version 1 error body").
 *
 * @param status HTTP status, and the code in the body; default: the status that the reference gives for the error
 */
export function v1Error(
  name: V1ErrorName,
  message: string,
  data: Record<string, unknown> = {},
  status: number = V1_ERROR_STATUS[name],
): Refusal {
  return new Refusal(status, { error_name: name, [CODE_KEY[name]]: status, message, data });
}
