import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BackfillStream, MarketStream } from '../../schemas/pipeline/run.js';
import { describeFaults } from './config-faults.js';
import { ConfigSchema, type ConfigFile, type MarketConfig } from './config-schema.js';
import { parseConfigText, showSetting, type ConfigText } from './config-text.js';
import { errorMessage, hasErrorCode, TidemarkError } from '../base/errors.js';
import type { Data } from '../store/data.js';
import { isBucket } from '../store/places.js';
import { isAddress, type RatesConfig, type RatesSource } from './rates-source.js';
import { requireUsableFolder } from './usable-folder.js';
import { API_KEY } from '../base/key-fingerprint.js';

export type { MarketConfig } from './config-schema.js';

/** The parsed configuration. A process reads it once at the start and passes it on. It never holds the API key. */
export interface Config extends ConfigFile {
  /** Path of the configuration file. */
  file: string;
  /**
   * `data` as an absolute path. In the file, `data` may be relative to the folder of the file. With `data: s3://…`, the
   * working copy on this machine (`TIDEMARK_STORAGE_FOLDER`).
   */
  dataDir: string;
  /** `data` if it is a bucket: `s3://bucket/prefix`. */
  bucket?: string | undefined;
  /** Where exchange rates come from; null without the block `fx`. */
  rates?: RatesConfig | null;
  /** `models` as an absolute path: a folder with the user's own SQL models. */
  modelsDir?: string | undefined;
  /**
   * Hash of the settings that apply, including overrides from the environment (16 hex digits). Equal hashes mean equal
   * settings.
   */
  hash: string;
  /** Hash of the file's content, without overrides from the environment. */
  fileHash: string;
}

/**
 * Returns the absolute path of the configuration file: `--config`, else `TIDEMARK_CONFIG`, else `tidemark.yaml` in the
 * current folder.
 */
export function configPath(option: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  return path.resolve(option ?? (env['TIDEMARK_CONFIG'] || 'tidemark.yaml'));
}

/**
 * Reads and checks the configuration.
 * @throws TidemarkError `InvalidConfig` for
 * - an unreadable file
 * - a YAML error, with its line and column
 * - a secret in the file
 * - wrong settings; the message lists all of them with line, column and path
 * - a data folder that DuckDB cannot write to
 */
export function loadConfig(file: string, env: NodeJS.ProcessEnv = process.env): Config {
  return readConfig(file, readText(file), env);
}

/**
 * Checks the text of a configuration file that need not exist yet. Paths in it are relative to the folder of `file`.
 * @throws TidemarkError as `loadConfig` does
 */
export function readConfig(file: string, written: string, env: NodeJS.ProcessEnv = process.env): Config {
  const text = parseConfigText(file, written);
  refuseSecrets(file, text);
  const parsed = ConfigSchema.safeParse(applyEnvironment(text.content, env));
  if (!parsed.success) {
    throw new TidemarkError('InvalidConfig', `${file} is not valid:\n${describeFaults(text, parsed.error, env)}`, {
      todo: 'Correct the places named above; docs/configuration.md lists every setting.',
    });
  }
  const place = env['TIDEMARK_DATA'] || parsed.data.data;
  const bucket = isBucket(place) ? place : undefined;
  const folder = env['TIDEMARK_STORAGE_FOLDER'] || './data';
  const dataDir = path.resolve(path.dirname(file), bucket === undefined ? place : folder);
  requireUsableFolder(dataDir);
  const modelsDir = parsed.data.models === undefined ? undefined : path.resolve(path.dirname(file), parsed.data.models);
  const rates = ratesConfig(path.dirname(file), parsed.data.fx);
  const publish = publishTo(bucket, parsed.data);
  const hashes = { hash: hashOf(parsed.data), fileHash: hashOf(text.content) };
  return { ...parsed.data, publish, file, dataDir, bucket, modelsDir, rates, ...hashes };
}

/** With the data in a bucket, builds are copied there, unless `publish.to` names another place. */
function publishTo(bucket: string | undefined, { publish }: ConfigFile): ConfigFile['publish'] {
  if (publish.to !== undefined || bucket === undefined) return publish;
  return { ...publish, to: `${bucket.replace(/\/$/, '')}/published` };
}

function ratesConfig(folder: string, fx: ConfigFile['fx']): RatesConfig | null {
  if (fx === undefined) return null;
  const { file: name, base, reporting } = fx;
  return {
    file: isAddress(name) ? name : path.resolve(folder, name),
    name,
    base,
    reporting,
  };
}

/**
 * Computes the hash of a file's current settings, for comparison with `Config.fileHash`.
 * @throws TidemarkError `InvalidConfig` when the file cannot be read
 */
export function hashFile(file: string): string {
  return hashOf(parseConfigText(file, readText(file)).content);
}

function hashOf(settings: object): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16);
}

/**
 * Reads the API key from `TIDEMARK_API_KEY` or from the file that `TIDEMARK_API_KEY_FILE` names. The configuration file
 * never contains it. To find also a key that `tidemark login` stored, use `findApiKey`.
 * @throws TidemarkError `InvalidConfig` when neither is set, or when the API key contains spaces or control characters
 */
export function readApiKey(env: NodeJS.ProcessEnv = process.env): string {
  const direct = env['TIDEMARK_API_KEY']?.trim();
  if (direct) return checkKey(direct, 'TIDEMARK_API_KEY');
  const file = apiKeyFile(env);
  if (file) return checkKey(readKeyFile(file), file);
  throw new TidemarkError('InvalidConfig', 'No API key: neither TIDEMARK_API_KEY nor TIDEMARK_API_KEY_FILE is set.', {
    todo: 'Set TIDEMARK_API_KEY to your API key (or TIDEMARK_API_KEY_FILE to a file that holds it), or run `tidemark login`. Without an API key, `npm run demo` uses the sandbox.',
  });
}

/**
 * Returns the file that holds the API key. Returns undefined when `TIDEMARK_API_KEY` holds the key, or when neither
 * variable is set.
 */
export function apiKeyFile(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env['TIDEMARK_API_KEY']?.trim() ? undefined : env['TIDEMARK_API_KEY_FILE'] || undefined;
}

/** Whether the configuration allows the tables to keep names and contact data of people. */
export function keepsContacts({ personalData }: Config): boolean {
  return personalData === 'contacts';
}

/** Settings that decide the rows of the tables. */
export interface TableSettings {
  /** True: keep names and contact data of people (`personalData: contacts`). */
  personalData: boolean;
  /** As in `Config`. */
  modelsDir?: string | undefined;
  /** Where exchange rates come from; null: nowhere. Undefined: the rates that the warehouse has stay. */
  rates?: RatesSource | null | undefined;
}

/** Returns these settings of a configuration. Builds, replays and removals pass them on as they are. */
export function tableSettings(config: Config, data: Data): TableSettings {
  const { modelsDir, rates } = config;
  return { personalData: keepsContacts(config), modelsDir, rates: rates && { ...rates, data } };
}

/**
 * Returns the streams of a backfill if the user names none. These are `financials`, all other streams that a market
 * names, and all streams that belong to no market.
 */
export function backfillStreams(markets: readonly MarketConfig[]): BackfillStream[] {
  const named = new Set<string>(['financials', ...markets.flatMap(({ streams }) => streams)]);
  return BackfillStream.options.filter((stream) => !MarketStream.safeParse(stream).success || named.has(stream));
}

/**
 * Returns the market with this name. Without a name, returns the only market.
 * @throws TidemarkError `InvalidInput` when there is no such market; the message lists the declared markets
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
      ? `No market was named, and ${config.file} does not declare exactly one. It declares: ${names}.`
      : `${config.file} declares no market "${name}". It declares: ${names}.`;
  throw new TidemarkError('InvalidInput', message, { todo: 'Name a declared market, or add yours under `markets`.' });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const missing = hasErrorCode(error, 'ENOENT');
    throw new TidemarkError(
      'InvalidConfig',
      missing ? `The configuration file ${file} does not exist.` : `Cannot read ${file}: ${errorMessage(error)}`,
      {
        todo: missing
          ? 'Run `tidemark init` to write one, or name your file with --config or TIDEMARK_CONFIG.'
          : 'Check the permissions of the file.',
        cause: error,
      },
    );
  }
}

function readKeyFile(file: string): string {
  try {
    // Some editors put a byte order mark at the start of the file.
    return readFileSync(file, 'utf8')
      .replace(/^\ufeff/, '')
      .trim();
  } catch (error) {
    throw new TidemarkError('InvalidConfig', `The API key cannot be read from ${file}: ${errorMessage(error)}`, {
      todo: 'Set TIDEMARK_API_KEY_FILE to a file that holds only the API key and that this user can read (chmod 600).',
      cause: error,
    });
  }
}

// Matches names of settings in which people write secrets by mistake.
const SECRET_NAME = /^(api[-_]?)?(key|token)$|^(api[-_]?key[-_]?file|password|(webhook[-_]?)?secret|authorization)$/i;

/**
 * Rejects a configuration file that contains a secret. The message does not repeat the secret.
 * @throws TidemarkError `InvalidConfig` with the place and the path of the setting
 */
function refuseSecrets(
  file: string,
  text: ConfigText,
  value: unknown = text.content,
  place: (string | number)[] = [],
): void {
  // Skip `filters`: the API receives them unchanged, so they may contain any name.
  if (typeof value !== 'object' || value === null || place.at(-1) === 'filters') return;
  for (const [name, inner] of Object.entries(value)) {
    const inside = [...place, Array.isArray(value) ? Number(name) : name];
    if (!Array.isArray(value) && SECRET_NAME.test(name)) {
      throw new TidemarkError(
        'InvalidConfig',
        `${file} contains a secret (${showSetting(inside)}, ${text.placeOf(inside)}). Secrets do not belong in this file, because people copy and share it.`,
        {
          todo: 'Remove it and set TIDEMARK_API_KEY or TIDEMARK_API_KEY_FILE (TIDEMARK_WEBHOOK_SECRET for the webhook secret). If you shared the file, replace the API key.',
        },
      );
    }
    refuseSecrets(file, text, inner, inside);
  }
}

function applyEnvironment(raw: Record<string, unknown>, env: NodeJS.ProcessEnv): Record<string, unknown> {
  const api = { ...(typeof raw['api'] === 'object' && raw['api'] !== null ? raw['api'] : {}) } as Record<
    string,
    unknown
  >;
  if (env['TIDEMARK_API_URL']) api['baseUrl'] = env['TIDEMARK_API_URL'];
  if (env['TIDEMARK_CONNECTOR_URL']) api['connectorUrl'] = env['TIDEMARK_CONNECTOR_URL'];
  return { ...raw, api };
}

/**
 * Returns the key if an HTTP header can contain it. Otherwise throws an error whose message does not repeat the key.
 * @param source where the key comes from, for the message
 * @throws TidemarkError `InvalidConfig`
 */
export function checkKey(key: string, source: string): string {
  // The API key will be sent in a header. Without this check, the HTTP client would fail later with a less clear
  // message.
  if (!API_KEY.test(key)) {
    throw new TidemarkError(
      'InvalidConfig',
      `The API key in ${source} is empty or contains spaces, control characters or non-ASCII characters.`,
      {
        todo: 'Copy the API key again, as one line.',
      },
    );
  }
  return key;
}
