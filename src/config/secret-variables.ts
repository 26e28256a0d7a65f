const SECRETS =
  /^(TIDEMARK_(API_KEY|WEBHOOK_SECRET|NOTIFY_)|TEMPORAL_(API_KEY|TLS)|AWS_(SECRET_ACCESS_KEY|SESSION_TOKEN)$)/;

/** Returns the environment variables without those that hold secrets of Tidemark. Other programs must not get them. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.test(name)));
}
