import { pino, type Logger } from 'pino';
import { environmentSecrets, hideSecrets } from './secrets.js';
import { escapeUnseen } from './visible-text.js';

/**
 * JSON lines on stderr; stdout belongs to results. `LOG_LEVEL` sets the level (default warn, so that a person sees
 * progress and not logs; `worker` and `up` ask for info). A line holds no secret of the environment, and nothing that a
 * terminal would obey, whatever was logged.
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
