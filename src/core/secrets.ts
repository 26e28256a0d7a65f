import { readApiKey } from './config.js';
import { createRedactor, isRehearsalKey, type Redactor } from './redact.js';

/*
 * The last line of defence: what goes to a terminal or a log is searched for the secrets this process was given. Every
 * library keeps them out by itself; this is for the error of some package that nobody thought of.
 */

/** Redactors of the secrets in the environment; one that cannot be read is none, and a rehearsal's key is a word. */
export function environmentSecrets(env: NodeJS.ProcessEnv = process.env): Redactor[] {
  const secrets = [keyOf(env), env['TIDEMARK_WEBHOOK_SECRET']?.trim(), env['TEMPORAL_API_KEY']?.trim()];
  return secrets.flatMap((secret) => (secret === undefined || isRehearsalKey(secret) ? [] : [createRedactor(secret)]));
}

/** `text` without those secrets. */
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
