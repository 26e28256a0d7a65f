import { takeLease, type Lease, type WaitOptions } from '../../src/store/lease.js';
import type { Storage } from '../../src/store/storage.js';

/** Runs `work` while this process holds the lease. Throws as `takeLease` does. */
export async function withLease<T>(
  storage: Storage,
  key: string,
  options: WaitOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await takeLease(storage, key, options);
  try {
    return await work(lease);
  } finally {
    await lease.release();
  }
}
