import { API_KEY, keyFingerprint } from '../base/key-fingerprint.js';
import { errorMessage, TidemarkError } from '../base/errors.js';
import { createRedactor, type Redactor } from '../base/text/redact.js';
import type { ApiClientOptions } from './options.js';

type HeldKeyOptions = Pick<ApiClientOptions, 'apiKey' | 'renewKey' | 'onKeyChange'> & { now: () => Date };

/**
 * The API key of a client, and a redactor for all keys that the client has held. If the API refuses the key, reads it
 * again from its source: a secret store may have replaced it.
 */
export class HeldKey {
  /** Stays the same object, and hides each new key, too. */
  readonly redactor: Redactor;
  readonly #options: HeldKeyOptions;
  /** All keys so far, the one in use last. */
  readonly #keys: string[];
  #since: Date;
  /** Why the last reading gave no other key. */
  #unchanged = '';

  /** @throws TidemarkError `InvalidConfig` for a missing key, or one that no header can contain */
  constructor(options: HeldKeyOptions) {
    const apiKey = checkKey(options.apiKey);
    this.#options = options;
    this.#keys = [apiKey];
    this.#since = options.now();
    this.redactor = createRedactor(apiKey);
  }

  get key(): string {
    return this.#keys.at(-1)!;
  }

  /**
   * Looks for another key after the API refused one. Requests in flight may be refused for the same old key: the first
   * one reads the new key, and the others take it.
   * @returns whether another key than the refused one is held now
   */
  renew(refused: string): boolean {
    if (this.key !== refused) return true;
    const { renewKey, now, onKeyChange } = this.#options;
    if (renewKey === undefined) return false;
    let found: string;
    try {
      found = checkKey(renewKey());
    } catch (error) {
      this.#unchanged = `Reading it again failed: ${this.redactor.text(errorMessage(error))}`;
      return false;
    }
    this.#unchanged = 'Its source has no other key.';
    if (found === refused) return false;
    this.#keys.push(found);
    Object.assign(this.redactor, createRedactor(...this.#keys));
    this.#since = now();
    onKeyChange?.(found);
    return true;
  }

  /** Says which key this process holds and since when, for a refused call; empty if the key has no source to read. */
  describe(): string {
    if (this.#options.renewKey === undefined) return '';
    return `The worker holds the key with the fingerprint ${keyFingerprint(this.key)} since ${this.#since.toISOString()}. ${this.#unchanged}`;
  }
}

function checkKey(apiKey: string | undefined): string {
  if (typeof apiKey === 'string' && API_KEY.test(apiKey)) return apiKey;
  const isMissing = apiKey === undefined || apiKey === '';
  const fault = isMissing
    ? 'is missing'
    : 'contains characters that an HTTP header cannot contain (spaces or line breaks?)';
  throw new TidemarkError('InvalidConfig', `the API key ${fault}`, {
    todo: 'Set TIDEMARK_API_KEY, or TIDEMARK_API_KEY_FILE to a file with only the key. In your own code, pass `apiKey`.',
  });
}
