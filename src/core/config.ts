import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { BackfillStream } from '../../schemas/pipeline/run.js';
import { ConfigSchema, type ConfigFile, type MarketConfig } from './config-schema.js';
import { errorMessage, hasErrorCode, TidemarkError } from './errors.js';

export type { MarketConfig } from './config-schema.js';

/** The parsed configuration of one process. Read once at its start and passed down; holds no key. */
export interface Config extends ConfigFile {
  /** The file it came from. */
  file: string;
  /** `data`, absolute: relative paths are relative to the configuration file. */
  dataDir: string;
  /** `models`, absolute: a folder with SQL models of one's own. */
  modelsDir?: string | undefined;
  /** Short hash of the parsed content: equal hashes, equal settings. */
  hash: string;
  /** The same of the file alone, without what the environment overrides; left out of settings that came from no file. */
  fileHash?: string;
}

/** Path of the configuration in force: `--config`, else `TIDEMARK_CONFIG`, else `tidemark.yaml` here. */
export function configPath(option: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  return path.resolve(option ?? (env['TIDEMARK_CONFIG'] || 'tidemark.yaml'));
}

/**
 * Reads and checks the configuration.
 * @throws TidemarkError `InvalidConfig`: unreadable file, YAML fault (with line), every wrong key with its path, or a data
 *   folder that DuckDB cannot write to
 */
export function loadConfig(file: string, env: NodeJS.ProcessEnv = process.env): Config {
  const raw = parseYaml(file, readText(file));
  refuseSecrets(file, raw);
  const overridden = applyEnvironment(raw, env);
  const parsed = ConfigSchema.safeParse(overridden);
  if (!parsed.success) {
    throw new TidemarkError('InvalidConfig', `${file} is not valid:\n${describeIssues(parsed.error)}`, {
      todo: 'Correct the lines named above; docs/configuration.md lists every key.',
    });
  }
  const dataDir = path.resolve(path.dirname(file), env['TIDEMARK_DATA'] || parsed.data.data);
  refuseQuestionMark(dataDir);
  const modelsDir = parsed.data.models === undefined ? undefined : path.resolve(path.dirname(file), parsed.data.models);
  return { ...parsed.data, file, dataDir, modelsDir, hash: hashOf(parsed.data), fileHash: hashOf(raw) };
}

/** DuckDB takes what follows a `?` for the query of a URL, and seeks its write-ahead log in a folder that does not exist. */
function refuseQuestionMark(dataDir: string): void {
  if (!dataDir.includes('?')) return;
  throw new TidemarkError('InvalidConfig', `The path of the data folder, ${dataDir}, holds a "?".`, {
    todo: 'DuckDB cannot write there. Rename the folder, or set `data` (or TIDEMARK_DATA) to a path without a "?".',
  });
}

/**
 * `fileHash` of the file as it is now.
 * @throws TidemarkError `InvalidConfig` when it cannot be read
 */
export function hashFile(file: string): string {
  return hashOf(parseYaml(file, readText(file)));
}

function hashOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}

/**
 * The API key, from `TIDEMARK_API_KEY` or the file `TIDEMARK_API_KEY_FILE` names; never from the configuration.
 * @throws TidemarkError `InvalidConfig` when there is none
 */
export function readApiKey(env: NodeJS.ProcessEnv = process.env): string {
  const direct = env['TIDEMARK_API_KEY']?.trim();
  if (direct) return checkKey(direct, 'TIDEMARK_API_KEY');
  const file = apiKeyFile(env);
  if (file) return checkKey(readKeyFile(file), file);
  throw new TidemarkError('InvalidConfig', 'No API key: neither TIDEMARK_API_KEY nor TIDEMARK_API_KEY_FILE is set.', {
    todo: 'Set TIDEMARK_API_KEY to your key (or TIDEMARK_API_KEY_FILE to a file that holds it). Without a key, `npm run demo` uses the sandbox.',
  });
}

/** The file the key is read from; undefined when it comes from `TIDEMARK_API_KEY`, or from nowhere. */
export function apiKeyFile(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env['TIDEMARK_API_KEY']?.trim() ? undefined : env['TIDEMARK_API_KEY_FILE'] || undefined;
}

/** Whether names and contact data of people stand in the tables. */
export function keepsContacts({ personalData }: Config): boolean {
  return personalData === 'contacts';
}

/** What a backfill fetches unless it is told: v1 reports only where one of the markets is configured to have them. */
export function backfillStreams(markets: readonly MarketConfig[]): BackfillStream[] {
  const hasV1 = markets.some(({ streams }) => streams.includes('financials_v1'));
  return BackfillStream.options.filter((stream) => hasV1 || stream !== 'financials_v1');
}

/**
 * The market a command or run means: the named one, or the only one there is.
 * @throws TidemarkError `InvalidInput` naming the markets there are
 */
export function pickMarket(config: Config, name: string | undefined): MarketConfig {
  const names = config.markets.map((m) => m.name).join(', ') || 'none';
  const found =
    name === undefined
      ? config.markets.length === 1
        ? config.markets[0]
        : undefined
      : config.markets.find((m) => m.name === name);
  if (found) return found;
  const message =
    name === undefined
      ? `Which market? ${config.file} declares: ${names}.`
      : `There is no market "${name}" in ${config.file}; it declares: ${names}.`;
  throw new TidemarkError('InvalidInput', message, { todo: 'Name one of them, or add it under `markets`.' });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const missing = hasErrorCode(error, 'ENOENT');
    throw new TidemarkError(
      'InvalidConfig',
      missing ? `There is no file ${file}.` : `Cannot read ${file}: ${errorMessage(error)}`,
      {
        todo: missing
          ? 'Copy tidemark.example.yaml to tidemark.yaml, or name another with --config or TIDEMARK_CONFIG.'
          : 'Check its permissions.',
        cause: error,
      },
    );
  }
}

function readKeyFile(file: string): string {
  try {
    // Editors of some systems put a byte order mark in front.
    return readFileSync(file, 'utf8')
      .replace(/^\ufeff/, '')
      .trim();
  } catch (error) {
    throw new TidemarkError('InvalidConfig', `The API key cannot be read from ${file}: ${errorMessage(error)}`, {
      todo: 'Correct TIDEMARK_API_KEY_FILE: it names a file that holds nothing but the key, readable by this user (chmod 600).',
      cause: error,
    });
  }
}

function parseYaml(file: string, text: string): Record<string, unknown> {
  const document = parseDocument(text, { prettyErrors: true });
  const fault = document.errors[0];
  const value: unknown = fault ? undefined : document.toJS();
  if (fault || typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TidemarkError(
      'InvalidConfig',
      `${file} cannot be read as YAML: ${firstLine(fault?.message) ?? 'it must be a mapping of keys'}`,
      {
        todo: 'Correct the line named above.',
      },
    );
  }
  return value as Record<string, unknown>;
}

/** Without the lines the parser quotes: a key may stand in them. */
function firstLine(text: string | undefined): string | undefined {
  return text?.split('\n', 1)[0]?.replace(/:$/, '');
}

// What people call a secret, wherever they try to put it.
const SECRET_NAME = /^(api[-_]?)?(key|token)$|^(api[-_]?key[-_]?file|password|(webhook[-_]?)?secret|authorization)$/i;

/** @throws TidemarkError `InvalidConfig` when a secret stands in the file; its value is not repeated */
function refuseSecrets(file: string, value: unknown, place: string[] = []): void {
  // What is in filters is sent to the API verbatim and is not ours to judge.
  if (typeof value !== 'object' || value === null || place.at(-1) === 'filters') return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && SECRET_NAME.test(name)) {
      throw new TidemarkError(
        'InvalidConfig',
        `${file} holds a secret (${[...place, name].join('.')}): a key does not belong in the configuration file, which is copied and shared.`,
        {
          todo: 'Remove it there and set TIDEMARK_API_KEY or TIDEMARK_API_KEY_FILE (TIDEMARK_WEBHOOK_SECRET for the secret of webhooks). If the file was shared, have the key replaced.',
        },
      );
    }
    refuseSecrets(file, inner, [...place, name]);
  }
}

function applyEnvironment(raw: Record<string, unknown>, env: NodeJS.ProcessEnv): Record<string, unknown> {
  const api = { ...(typeof raw['api'] === 'object' && raw['api'] !== null ? raw['api'] : {}) } as Record<
    string,
    unknown
  >;
  if (env['TIDEMARK_API_URL']) api['baseUrl'] = env['TIDEMARK_API_URL'];
  if (env['TIDEMARK_CONNECTOR_URL']) api['connectorUrl'] = env['TIDEMARK_CONNECTOR_URL'];
  if (env['TIDEMARK_ALLOW_HTTP']) api['allowHttp'] = /^(1|true|yes)$/i.test(env['TIDEMARK_ALLOW_HTTP']);
  return { ...raw, api };
}

function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => `  ${issue.path.length > 0 ? issue.path.join('.') : '(top level)'}: ${issue.message}`)
    .join('\n');
}

function checkKey(key: string, source: string): string {
  // A header value; anything else would be refused deep inside the HTTP client with a worse message.
  if (key === '' || !/^[\x21-\x7e]+$/.test(key)) {
    throw new TidemarkError(
      'InvalidConfig',
      `The API key in ${source} is empty or holds spaces or control characters.`,
      {
        todo: 'Copy it again, as one line.',
      },
    );
  }
  return key;
}
