import { z } from 'zod';

/**
 * The `type` of every ApplicationFailure Tidemark raises, so that an operator (and a workflow) can tell faults apart
 * without reading messages. `nonRetryable` is decided where the failure is made (activities/cast-errors.ts).
 */
export const ErrorType = z.enum([
  'InvalidInput', //      a person typed a wrong input; says what is allowed
  'InvalidConfig', //     tidemark.yaml or the environment is wrong
  'Unauthorized', //      the API refused the key
  'PermissionDenied', //  the key is good but may not use this route
  'QuotaReached', //      limits.daily: nothing more today
  'LimitError', //        limit: too much for now; retried after Retry-After, details {guard, access}
  'ApiRefused', //        the API calls the request invalid; the same request will be refused again
  'ApiUnavailable', //    the API is down, slow or answers nonsense; retried
  'OtherDataFolder', //   the run belongs to another data folder than this worker's
  'DataFolderChanged', // the data folder was restored, replaced or moved while the run was under way
  'ClockWrong', //        this machine's clock is minutes off the API's
  'LandingCorrupt', //    a landed part does not match its manifest
  'WarehouseBusy', //     another process holds the warehouse file
  'DiskFull',
  'ModelFailed', //       a SQL model or an audit of severity error failed
  'Internal',
]);
export type ErrorType = z.infer<typeof ErrorType>;
