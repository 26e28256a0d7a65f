import { createHash } from 'node:crypto';
import type { KeyGrant } from './permissions.js';

/**
 * The API keys of the sandbox's only customer, with the permissions of each key. All keys share one quota, one list of
 * watches and one callback. Keys are found by their digest, so that response times reveal nothing about an API key.
 */
export class Keys {
  readonly #byDigest = new Map<string, KeyGrant>();

  /** @throws RangeError for an API key that a header cannot carry. */
  constructor(grants: readonly KeyGrant[]) {
    for (const grant of grants) this.set(grant);
  }

  /**
   * Adds an API key, or changes the permissions of a known API key.
   *
   * @throws RangeError for an API key that a header cannot carry.
   */
  set(grant: KeyGrant): void {
    if (!/^[\x21-\x7e]+$/.test(grant.key))
      throw new RangeError('an API key must consist of characters that a header can carry, without spaces');
    this.#byDigest.set(digest(grant.key), grant);
  }

  /** Removes an API key. Returns false if there is no such API key. */
  remove(key: string): boolean {
    return this.#byDigest.delete(digest(key));
  }

  list(): KeyGrant[] {
    return [...this.#byDigest.values()];
  }

  /** Returns an API key with its permissions; undefined for an unknown API key. */
  find(key: string): KeyGrant | undefined {
    return this.#byDigest.get(digest(key));
  }

  /** Finds the API key in an `Authorization: Token <key>` header. Returns it with its permissions. */
  findByHeader(header: string | undefined): KeyGrant | undefined {
    const key = /^Token ([^\s]+)$/.exec(header ?? '')?.[1];
    return key === undefined ? undefined : this.find(key);
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Returns whether an IP address is a loopback address. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(127\.|::1$|::ffff:127\.)/.test(address);
}
