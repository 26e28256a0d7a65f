import { readFileSync } from 'node:fs';

/** Tidemark's own version, as package.json has it. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
