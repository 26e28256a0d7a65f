import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

/*
 * Stores the API key in the keyring of the operating system: Keychain, Credential Manager or Secret Service. The
 * package for this (@napi-rs/keyring) is optional.
 *
 * Each access runs in a child process with a time limit, because a locked keyring may wait for ever for a password. The
 * key goes through pipes, so the process list does not show it.
 */

const SERVICE = 'tidemark';
const TIME_LIMIT_MS = 20_000;

// On Linux, use only the Secret Service. Without it, the package would use the kernel keyring, which loses the key when
// the machine restarts.
const SCRIPT = `
const [, file, action, service, account] = process.argv;
const read = () => require('node:fs').readFileSync(0, 'utf8');
const { Entry } = require(file);
try {
  const entry = new Entry(service, account, { linux: { store: 'secret-service' } });
  const done = { get: () => entry.getPassword(), set: () => entry.setPassword(read()), delete: () => entry.deletePassword() };
  console.log(JSON.stringify({ value: done[action]() ?? null }));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message) }));
}`;

/** The keyring cannot be used; the message says why. The message contains no key. */
export class KeyringError extends Error {}

/**
 * Returns the key of an account; null if the keyring has no such account.
 * @throws KeyringError when there is no keyring, or when it is locked
 */
export function readFromKeyring(account: string): string | null {
  const value = run('get', account);
  return typeof value === 'string' ? value : null;
}

/**
 * Stores a key. Then reads it back to check that the keyring kept it.
 * @throws KeyringError when the keyring did not keep the key
 */
export function writeToKeyring(account: string, key: string): void {
  run('set', account, key);
  if (readFromKeyring(account) !== key) throw new KeyringError('the keyring did not keep the key');
}

/**
 * Removes a key.
 * @returns whether the keyring had the key
 * @throws KeyringError when there is no keyring, or when it is locked
 */
export function deleteFromKeyring(account: string): boolean {
  return run('delete', account) === true;
}

function run(action: 'get' | 'set' | 'delete', account: string, key = ''): unknown {
  let answer: { value?: unknown; error?: string };
  try {
    const file = createRequire(import.meta.url).resolve('@napi-rs/keyring');
    const output = execFileSync(process.execPath, ['-e', SCRIPT, file, action, SERVICE, account], {
      input: key,
      encoding: 'utf8',
      timeout: TIME_LIMIT_MS,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    answer = JSON.parse(output) as typeof answer;
  } catch (error) {
    throw new KeyringError(reason(error));
  }
  if (answer.error !== undefined) throw new KeyringError(answer.error);
  return answer.value;
}

/** Returns only the kind of the failure, because the error of a child process contains its command line and output. */
function reason(error: unknown): string {
  const { code, signal } = error as { code?: unknown; signal?: string | null };
  if (code === 'MODULE_NOT_FOUND') return 'the optional package @napi-rs/keyring is not installed';
  if (code === 'ETIMEDOUT') return `the keyring did not answer within ${TIME_LIMIT_MS / 1000} s; it may be locked`;
  return `the keyring program failed${signal ? ` (${signal})` : ''}`;
}
