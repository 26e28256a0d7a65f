import { pino, type Logger } from 'pino';

/**
 * JSON lines on stderr; stdout belongs to results. `LOG_LEVEL` sets the level (default warn, so that a person sees
 * progress and not logs; `worker` and `up` ask for info).
 */
export function createLog(name: string, level = process.env['LOG_LEVEL'] ?? 'warn'): Logger {
  return pino(
    { name, level, redact: ['apiKey', 'api_key', 'authorization', '*.apiKey', '*.authorization'] },
    pino.destination(2),
  );
}
