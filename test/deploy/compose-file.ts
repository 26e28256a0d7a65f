import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { ROOT } from '../helpers/processes.js';

/** A service of docker-compose.yml, with variables replaced. */
export interface Service {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  env_file?: { path: string; required: boolean }[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string; required?: boolean }>;
  restart?: string;
  ports?: string[];
  profiles?: string[];
  mem_limit?: string;
}

export interface ComposeFile {
  services: Record<string, Service>;
  configs: Record<string, { file: string }>;
  secrets: Record<string, { file: string }>;
}

/**
 * Reads docker-compose.yml as Compose does: replaces `${NAME}` and `${NAME:-default}`, and `$$` by `$`.
 * @param envFile file that `--env-file` names; undefined: none
 * @param more variables of the terminal
 */
export function readCompose(envFile?: string, more: Record<string, string> = {}): ComposeFile {
  const found = envFile === undefined ? {} : parseEnv(readFileSync(path.join(ROOT, envFile), 'utf8'));
  const env = { ...found, ...more };
  const raw = parse(readFileSync(path.join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as unknown;
  return replaceIn(raw, (text) =>
    text.replaceAll(/\$\$|\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string | undefined, otherwise = '') =>
      name === undefined ? '$' : (env[name] ?? '') || otherwise,
    ),
  ) as ComposeFile;
}

/** Applies a function to each string of a JSON value. */
export function replaceIn(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item, replace)]));
}

/** Command that the image runs before the command of a service. */
export function readEntrypoint(): string[] {
  const [, list = '[]'] = /^ENTRYPOINT (.*)$/m.exec(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
  return JSON.parse(list) as string[];
}
