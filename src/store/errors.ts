import { TidemarkError } from '../base/errors.js';
import type { ErrorType } from '../../schemas/pipeline/error-type.js';
import type { Content } from './storage.js';

/**
 * Why a storage refused a call:
 * - `exists`: `create` found a file.
 * - `changed`: `replace` found another version, or no file.
 * - `missing`: there is no such file.
 * - `denied`: the credentials lack a right, or the bucket cannot be used with these settings. A retry does not help.
 * - `unreachable`: no usable answer after several attempts. A later call may succeed.
 * - `damaged`: a downloaded file has another size or hash than expected.
 */
export type Reason = 'exists' | 'changed' | 'missing' | 'denied' | 'unreachable' | 'damaged';

const TYPES: Record<Reason, ErrorType> = {
  exists: 'Internal',
  changed: 'Internal',
  missing: 'Internal',
  denied: 'StorageDenied',
  unreachable: 'StorageUnavailable',
  damaged: 'StorageUnavailable',
};

const TODO = {
  exists: 'Another process wrote this file. Read it, and continue from there.',
  changed: 'Another process changed this file. Read it again, and decide again.',
  missing: 'Check that the storage is the right one, and that nobody removed files from it.',
  damaged: 'The file was damaged on the way or in the storage. Try again; if this repeats, publish or write it again.',
  unreachable: 'Check the address and the network, then try again. A run retries by itself.',
} as const;

/** A storage refused a call, or cannot be reached. `message` names the storage and the key, and never a credential. */
export class StorageError extends TidemarkError {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options: { todo: string; cause?: unknown }) {
    super(TYPES[reason], message, { ...options, retryable: reason === 'unreachable' || reason === 'damaged' });
    this.reason = reason;
  }
}

/** A storage, for messages. */
interface Named {
  readonly name: string;
}

/** Makes the error for a key with the usual remedy of its reason. `detail` continues the sentence. */
export function storageError(
  reason: Exclude<Reason, 'denied'>,
  storage: Named,
  key: string,
  detail: string,
  cause?: unknown,
): StorageError {
  return new StorageError(reason, `${storage.name}: ${key} ${detail}.`, { todo: TODO[reason], cause });
}

/** Whether an error is a `StorageError` with this reason. */
export function isStorageError(error: unknown, reason: Reason): error is StorageError {
  return error instanceof StorageError && error.reason === reason;
}

/** Whether a file is missing or damaged, although the storage answers. */
export function isFileFault(error: unknown): error is StorageError {
  return isStorageError(error, 'missing') || isStorageError(error, 'damaged');
}

/** Whether a conditional write was refused, because the file is not what the writer has read. */
export function isLostRace(error: unknown): error is StorageError {
  return isStorageError(error, 'exists') || isStorageError(error, 'changed');
}

/** Whether two files have the same size and hash. */
export function isSame(one: Content, other: Content): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256;
}

/** @throws StorageError `damaged` if a downloaded file has another size or hash than expected */
export function checkContent(found: Content, expected: Content | undefined, storage: Named, key: string): void {
  if (expected === undefined || isSame(found, expected)) return;
  const size = `has ${found.bytes} bytes, not ${expected.bytes}`;
  const hash = `has the hash ${found.sha256}, not ${expected.sha256}`;
  throw storageError('damaged', storage, key, found.bytes === expected.bytes ? hash : size);
}
