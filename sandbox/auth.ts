import { createHash } from 'node:crypto';
import type { KeyGrant } from './permissions.js';

/**
 * The keys of the sandbox's one customer, and what each may do; they share its quota, watches and callback. Looked up by
 * digest, so that time tells nothing about a key.
 */
export class Keys {
  readonly #byDigest = new Map<string, KeyGrant>();

  /** Throws a RangeError for a key that no header could carry. */
  constructor(grants: readonly KeyGrant[]) {
    for (const grant of grants) this.set(grant);
  }

  /** Adds a key, or changes what it may do. */
  set(grant: KeyGrant): void {
    if (!/^[\x21-\x7e]+$/.test(grant.key))
      throw new RangeError('key must be characters that a header can carry, no spaces');
    this.#byDigest.set(digest(grant.key), grant);
  }

  /** Withdraws a key; false when there was none. */
  remove(key: string): boolean {
    return this.#byDigest.delete(digest(key));
  }

  list(): KeyGrant[] {
    return [...this.#byDigest.values()];
  }

  /** What a key given by itself may do; undefined for a wrong one. */
  find(key: string): KeyGrant | undefined {
    return this.#byDigest.get(digest(key));
  }

  /** The same for an `Authorization: Token <key>` header. */
  findByHeader(header: string | undefined): KeyGrant | undefined {
    const key = /^Token ([^\s]+)$/.exec(header ?? '')?.[1];
    return key === undefined ? undefined : this.find(key);
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Whether an address is the machine itself. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(127\.|::1$|::ffff:127\.)/.test(address);
}
