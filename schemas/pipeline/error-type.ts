import { z } from 'zod';

/**
 * The `type` of every ApplicationFailure that Tidemark throws. Operators and workflows distinguish failures by it.
 * activities/run/cast-errors.ts and activities/run/folder-check.ts decide which failures Temporal retries.
 */
export const ErrorType = z.enum([
  'InvalidInput', //      a person typed a wrong input; the message names the allowed values
  'InvalidConfig', //     tidemark.yaml or the environment is wrong
  'Unauthorized', //      the API refused the key
  'PermissionDenied', //  the key is valid but may not use this route
  'QuotaReached', //      the daily limit is reached (`limits.daily`)
  'LimitError', //        the rate limit (`limit`); retried after Retry-After; details {guard, access}
  'ApiRefused', //        the API calls the request invalid; a retry would fail again
  'ApiUnavailable', //    the API is down, slow or sends unusable answers; retried
  'OtherDataFolder', //   the run or the namespace belongs to another data folder than this process's
  'DataFolderChanged', // the data folder was restored, replaced or moved during the run
  'ClockWrong', //        this machine's clock differs too much from the API's
  'LandingCorrupt', //    a landed part does not match its manifest
  'WarehouseBusy', //     another process has opened the warehouse file, or reads or changes the landing zone
  'WarehouseOutdated', //  another version of Tidemark made the warehouse; it must be made again
  'DiskFull',
  'DiskUnusable', //      a folder is read-only or not permitted, or the disk gives errors; retried
  'DataDamaged', //       the content of a file was changed outside of Tidemark, such as flipped bytes
  'StorageDenied', //      a bucket refused the credentials, or its settings are wrong
  'StorageUnavailable', // a bucket gave no usable answer, or a damaged file; retried
  'AlertNotSent', //    a target of `notify` did not accept a message; retried
  'ModelFailed', //       a SQL model failed, or an audit of severity error found rows
  'Internal',
]);
export type ErrorType = z.infer<typeof ErrorType>;
