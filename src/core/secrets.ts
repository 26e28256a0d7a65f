import { readApiKey } from './config.js';
import { createRedactor, isRehearsalKey, type Redactor } from './redact.js';

/*
 * Removes the secrets of this process from terminal output and logs. Tidemark's own errors hide secrets already; this
 * is the last defence against errors of other packages.
 */

/** API keys that this process holds but that are not in its environment. */
const held = new Set<string>();

/** Makes `environmentSecrets` also remove this API key. Call this before anything can print the key. */
export function rememberSecret(key: string): void {
  held.add(key);
}

/**
 * Creates redactors for the secrets in the environment and for remembered keys. Skips API keys that are unreadable or
 * demo keys.
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
