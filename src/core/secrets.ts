import { readApiKey } from './config.js';
import { createRedactor, isRehearsalKey, type Redactor } from './redact.js';

/*
 * Removes the secrets of this process from terminal output and logs. Tidemark's own errors contain no secrets. But
 * errors of other packages may contain them.
 */

/** API keys that this process uses but that are not in its environment. */
const held = new Set<string>();

/** Adds an API key to the secrets that `environmentSecrets` removes. Call this before anything can print the key. */
export function rememberSecret(key: string): void {
  held.add(key);
}

/**
 * Creates redactors for the secrets in the environment and for the remembered keys. Skips demo keys, and an API key
 * that cannot be read.
 */
export function environmentSecrets(env: NodeJS.ProcessEnv = process.env): Redactor[] {
  const secrets = [keyOf(env), env['TIDEMARK_WEBHOOK_SECRET']?.trim(), env['TEMPORAL_API_KEY']?.trim(), ...held];
  return secrets.flatMap((secret) => (secret === undefined || isRehearsalKey(secret) ? [] : [createRedactor(secret)]));
}

/** Returns `text` without the secrets. */
export function hideSecrets(text: string, secrets: readonly Redactor[] = environmentSecrets()): string {
  return secrets.reduce((shown, secret) => secret.text(shown), text);
}

function keyOf(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return readApiKey(env);
  } catch {
    return undefined;
  }
}
