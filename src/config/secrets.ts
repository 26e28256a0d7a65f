import { readApiKey } from './config.js';
import { TARGET_VARIABLES } from './notify-schema.js';
import { createRedactor, isRehearsalKey, type Redactor } from '../base/text/redact.js';

/*
 * Removes the secrets of this process from terminal output and logs. Tidemark's own errors contain no secrets. But
 * errors of other packages may contain them.
 */

const SHORTEST_OF_BUCKET = 8;

/** Redactors of the API keys that this process has used, also of keys that were replaced since then. */
const held = new Map<string, Redactor>();

/** Adds an API key to the secrets that `hideSecrets` removes. Call this before anything can print the key. */
export function rememberSecret(key: string): void {
  if (!isRehearsalKey(key) && !held.has(key)) held.set(key, createRedactor(key));
}

/** Creates redactors for the secrets in the environment. Skips demo keys, and an API key that cannot be read. */
export function environmentSecrets(env: NodeJS.ProcessEnv = process.env): Redactor[] {
  const secrets = [keyOf(env), env['TIDEMARK_WEBHOOK_SECRET']?.trim(), env['TEMPORAL_API_KEY']?.trim()];
  return [...secrets, ...targetSecrets(env), ...bucketSecrets(env), ...proxySecrets(env)].flatMap((secret) =>
    secret === undefined || isRehearsalKey(secret) ? [] : [createRedactor(secret)],
  );
}

/** Secrets of the targets of alerts. */
function targetSecrets(env: NodeJS.ProcessEnv): (string | undefined)[] {
  return Object.entries(env)
    .filter(([name]) => name.startsWith(TARGET_VARIABLES) && /_(URL|SECRET|PASSWORD)$/.test(name))
    .map(([, value]) => value?.trim());
}

/** Secrets of a bucket. Shorter ones, such as `test`, belong to test services and are words of other texts, too. */
function bucketSecrets(env: NodeJS.ProcessEnv): (string | undefined)[] {
  const secrets = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].map((name) => env[name]?.trim());
  return secrets.filter((secret) => secret !== undefined && secret.length >= SHORTEST_OF_BUCKET);
}

/** Passwords in the addresses of proxies. */
function proxySecrets(env: NodeJS.ProcessEnv): (string | undefined)[] {
  return ['http_proxy', 'https_proxy', 'grpc_proxy']
    .flatMap((name) => [env[name], env[name.toUpperCase()]])
    .map((value) => /:([^:@/]+)@/.exec(value ?? '')?.[1]?.replaceAll('%40', '@'));
}

/** Returns `text` without the secrets, and without the keys that this process has used until now. */
export function hideSecrets(text: string, secrets: readonly Redactor[] = environmentSecrets()): string {
  return [...secrets, ...held.values()].reduce((shown, secret) => secret.text(shown), text);
}

function keyOf(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return readApiKey(env);
  } catch {
    return undefined;
  }
}
