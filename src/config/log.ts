import { pino, type Logger } from 'pino';
import { environmentSecrets, hideSecrets } from './secrets.js';
import { escapeUnseen } from '../base/text/visible-text.js';

/**
 * Creates a log that writes JSON lines to stderr; stdout is for results.
 * - `LOG_LEVEL` sets the level. The default is `warn`, because people watch the progress lines instead. `worker` and
 *   `up` use `info`.
 * - Secrets of the environment are replaced in each line.
 * - Control characters are escaped, because a terminal would obey them.
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
