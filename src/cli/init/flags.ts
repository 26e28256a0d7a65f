import { ConfigSchema } from '../../config/config-schema.js';
import { invalidInput } from '../../base/errors.js';

/** Options of `tidemark init`. */
export interface InitOptions {
  url?: string;
  keyFile?: string;
  sandbox?: boolean;
  market?: string;
  country?: string[];
  industry?: string[];
  size?: string[];
  /** Time of the nightly run, `HH:MM` or `none`. */
  at?: string;
  timezone?: string;
  yes?: boolean;
  json?: boolean;
}

/**
 * Checks that the options name everything that has no default.
 * @param hasKey whether the environment or an earlier `tidemark login` gives an API key
 * @throws TidemarkError `InvalidInput` with the missing options
 */
export function requireFlags(options: InitOptions, hasKey: boolean): void {
  const missing = [
    ...(options.sandbox || options.url !== undefined ? [] : ['--url ADDRESS (or --sandbox)']),
    ...(options.sandbox || options.keyFile !== undefined || hasKey ? [] : ['--key-file FILE (or TIDEMARK_API_KEY)']),
    ...(options.yes ? [] : ['--yes']),
  ];
  if (missing.length === 0) return;
  const why = options.yes || options.json ? 'with --yes or --json it asks nothing' : 'there is no terminal';
  throw invalidInput(
    `\`tidemark init\` cannot ask questions: ${why}. Missing: ${missing.join(', ')}.`,
    'Add the missing options, or run `tidemark init` in a terminal. `tidemark init --help` shows examples.',
  );
}

/** Refuses options that contradict each other. */
export function refuseContradictions({ sandbox, url, keyFile }: InitOptions): void {
  const other = url === undefined ? (keyFile === undefined ? null : '--key-file') : '--url';
  if (sandbox && other !== null) {
    throw invalidInput(
      `--sandbox and ${other} contradict each other.`,
      'Use --sandbox to try Tidemark without an API, or --url to name your API.',
    );
  }
}

/** Returns why a text is not an address of an API; null if it is. Does not repeat the text, which may be a secret. */
export function addressFault(text: string): string | null {
  const parsed = ConfigSchema.shape.api.shape.baseUrl.safeParse(text);
  return parsed.success ? null : (parsed.error.issues[0]?.message ?? 'is not an address');
}

/** Removes `/v2` or `/v1/finder` from the end of an address, because Tidemark adds these parts to each request. */
export function trimAddress(text: string): string {
  return text
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/(v1\/finder|v1|v2)$/, '');
}

/** Returns why a text is not a name of a market; null if it is. */
export function marketFault(text: string): string | null {
  const parsed = ConfigSchema.shape.markets.safeParse([{ name: text }]);
  return parsed.success ? null : (parsed.error.issues[0]?.message ?? 'is not a name');
}

/** Start of the nightly run if the user names none. Most zones change their clocks between 01:00 and 03:59. */
export const NIGHTLY_AT = '04:30';

/** Returns why a text is not a time of the nightly run; null if it is. */
export function timeFault(text: string): string | null {
  return text === 'none' || /^([01]\d|2[0-3]):[0-5]\d$/.test(text)
    ? null
    : `must be a time like ${NIGHTLY_AT}, or none`;
}

/** Returns why a text is not a time zone; null if it is. */
export function zoneFault(text: string): string | null {
  const parsed = ConfigSchema.shape.quota.safeParse({ timezone: text });
  return parsed.success ? null : (parsed.error.issues[0]?.message ?? 'is not a time zone');
}

/** Refuses the value of an option, with the reason. */
export function refuseFlag(option: string, fault: string | null): void {
  if (fault !== null) throw invalidInput(`${option} ${fault}.`, '`tidemark init --help` shows examples.');
}
