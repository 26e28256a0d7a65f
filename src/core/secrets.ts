import { readApiKey } from './config.js';
import { createRedactor, isRehearsalKey, type Redactor } from './redact.js';

/*
 * Last defence against leaked secrets: terminal output and logs are searched for the secrets of this process. Each
 * library already hides its own secrets; this catches errors of packages that nobody thought of.
 */

/** Creates redactors for the secrets in the environment. Skips unreadable and demo keys. */
export function environmentSecrets(env: NodeJS.ProcessEnv = process.env): Redactor[] {
  const secrets = [keyOf(env), env['TIDEMARK_WEBHOOK_SECRET']?.trim(), env['TEMPORAL_API_KEY']?.trim()];
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
