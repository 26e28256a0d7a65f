import { existsSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { apiKeyFile, checkKey, readApiKey, type Config } from './config.js';
import { loginFile, storedKeyFile } from '../store/data-folder.js';
import { errorMessage, hasErrorCode, TidemarkError } from '../base/errors.js';
import { writeSecretFile } from './secret-file.js';
import { rememberSecret } from './secrets.js';

/*
 * Stores and reads the API key of `tidemark login`. The key belongs to a data folder and to one API address. So if
 * `api.baseUrl` changes, the key is not sent to the new address.
 */

/** The settings that decide which stored key is used. */
export type KeyPlace = Pick<Config, 'dataDir'> & { api: Pick<Config['api'], 'baseUrl'> };

const Login = z.object({
  /** Address of the API for which the key was stored. */
  address: z.string(),
});
export type Login = z.infer<typeof Login>;

/**
 * Finds the API key: `TIDEMARK_API_KEY`, else `TIDEMARK_API_KEY_FILE`, else the key of `tidemark login`.
 * @throws TidemarkError `InvalidConfig` when there is no key, or when the stored key is for another API
 */
export function findApiKey(place: KeyPlace, env: NodeJS.ProcessEnv = process.env): string {
  const key = isInEnvironment(env) ? readApiKey(env) : (readStoredKey(place) ?? readApiKey(env));
  // A file may hold another key later. Errors and logs must then hide both.
  rememberSecret(key);
  return key;
}

/**
 * Returns where the API key comes from: `words` for messages, and the path `file` if the key comes from a file.
 */
export function keySource(
  { dataDir }: KeyPlace,
  env: NodeJS.ProcessEnv = process.env,
): { words: string; file: string | undefined } {
  const named = apiKeyFile(env);
  if (named !== undefined) return { words: named, file: named };
  if (isInEnvironment(env)) return { words: 'TIDEMARK_API_KEY', file: undefined };
  const file = storedKeyFile(dataDir);
  return { words: file, file };
}

/** Names the kind of place that holds the API key, without path or key. */
export function keyKind({ dataDir }: KeyPlace, env: NodeJS.ProcessEnv = process.env): 'environment' | 'file' | 'login' {
  if (apiKeyFile(env) !== undefined) return 'file';
  return isInEnvironment(env) || readLoginOrNull(dataDir) === null ? 'environment' : 'login';
}

/** Whether the environment names an API key. Such a key takes precedence over a stored key. */
export function isInEnvironment(env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(env['TIDEMARK_API_KEY']?.trim()) || apiKeyFile(env) !== undefined;
}

/**
 * Reads the stored key. Returns null if no key is stored.
 * @throws TidemarkError `InvalidConfig` when the key is for another API, or when it cannot be read
 */
export function readStoredKey({ dataDir, api }: KeyPlace): string | null {
  const login = readLogin(dataDir);
  if (login === null) return null;
  const address = addressOf(api.baseUrl);
  if (login.address !== address) {
    throw new TidemarkError(
      'InvalidConfig',
      `The stored API key is for ${login.address}, but api.baseUrl is ${address}.`,
      {
        todo: 'Correct api.baseUrl (or TIDEMARK_API_URL). Or run `tidemark login` to sign in at the new address.',
      },
    );
  }
  const key = keyFromFile(storedKeyFile(dataDir));
  rememberSecret(key);
  return key;
}

/** Stores a key for an API, in place of the key that was stored before. Only the owner can read the files. */
export async function storeKey({ dataDir, api }: KeyPlace, key: string): Promise<void> {
  const login: Login = { address: addressOf(api.baseUrl) };
  await writeSecretFile(storedKeyFile(dataDir), key);
  await writeSecretFile(loginFile(dataDir), JSON.stringify(login));
}

/**
 * Removes the stored key.
 * @returns whether a key was stored
 */
export function forgetKey(dataDir: string): boolean {
  const files = [storedKeyFile(dataDir), loginFile(dataDir)];
  const wasStored = files.some((file) => existsSync(file));
  for (const file of files) rmSync(file, { force: true });
  return wasStored;
}

/**
 * Reads for which API a key is stored; null if none is stored.
 * @throws TidemarkError `InvalidConfig` when the record cannot be read
 */
export function readLogin(dataDir: string): Login | null {
  const file = loginFile(dataDir);
  try {
    return Login.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw new TidemarkError('InvalidConfig', `${file} cannot be read, so the stored API key cannot be found.`, {
      todo: 'Run `tidemark login` again.',
      cause: error,
    });
  }
}

function readLoginOrNull(dataDir: string): Login | null {
  try {
    return readLogin(dataDir);
  } catch {
    return null;
  }
}

function keyFromFile(file: string): string {
  try {
    return checkKey(readFileSync(file, 'utf8').trim(), file);
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    throw new TidemarkError('InvalidConfig', `The stored API key cannot be read from ${file}: ${errorMessage(error)}`, {
      todo: 'Run `tidemark login` again, or set TIDEMARK_API_KEY.',
      cause: error,
    });
  }
}

function addressOf(baseUrl: string): string {
  return new URL(baseUrl).href;
}
