import { pino, type Logger } from 'pino';
import { environmentSecrets, hideSecrets } from './secrets.js';
import { escapeUnseen } from './visible-text.js';

/**
 * Creates a log that writes JSON lines to stderr; stdout is for results. `LOG_LEVEL` sets the level. The default `warn`
 * shows a person progress instead of logs; `worker` and `up` use `info`. Replaces the environment's secrets in each
 * line. Escapes control characters, because a terminal would obey them.
 */
export function createLog(name: string, level = process.env['LOG_LEVEL'] ?? 'warn'): Logger {
  const stderr = pino.destination(2);
  const secrets = environmentSecrets();
  const clean = (line: string): string => `${escapeUnseen(hideSecrets(line.trimEnd(), secrets))}\n`;
  return pino(
    { name, level, redact: ['apiKey', 'api_key', 'authorization', '*.apiKey', '*.authorization'] },
    { write: (line: string) => void stderr.write(clean(line)) },
  );
}
