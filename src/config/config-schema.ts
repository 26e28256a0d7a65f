import { z } from 'zod';
import { MOST_IN_FLIGHT } from '../../schemas/pipeline/limits.js';
import { MarketStream } from '../../schemas/pipeline/run.js';
import { FETCHED } from '../../schemas/streams/streams.js';
import { cronFault } from './cron.js';
import { parseDuration } from './duration.js';
import { NotifySchema } from './notify-schema.js';
import { CURRENCY, isAddress, isUnsafeAddress } from './rates-source.js';
import { DAY_SECONDS } from '../base/time/time.js';
import { LONGEST_DURATION } from '../../schemas/pipeline/limits.js';

// 24 days, in seconds. A Node timer cannot wait much longer.
const LONGEST_WAIT = 24 * DAY_SECONDS;

/** Reads a duration such as `30s`, `15m`, `2h` or `30d` and converts it to seconds. */
const Duration = z
  .string()
  .refine((text) => parseDuration(text) !== null, {
    error: 'must be a number and a unit: 30s, 15m, 2h, 30d',
    abort: true,
  })
  .transform((text) => parseDuration(text) ?? 0)
  .refine((seconds) => seconds <= LONGEST_DURATION, 'must be at most 36500d');

/** Reads an age of at least one day, because landed data has dates without a time of day. */
const Age = Duration.refine((seconds) => seconds >= DAY_SECONDS, 'must be at least 1d');

/** Reads the length of a wait. At least 1 s, because 0 s would not wait; at most 24 days, because of Node's timers. */
const Wait = Duration.refine((seconds) => seconds >= 1 && seconds <= LONGEST_WAIT, 'must be between 1s and 24d');

/** Reads a percentage such as `5%` and converts it to a share (0.05). */
const Percent = z
  .string()
  .regex(/^\d+(\.\d+)?%$/, 'must be a percentage like 5%')
  .transform((text) => Number(text.slice(0, -1)) / 100);

/**
 * Reads thresholds of ownership: all as percentages (`25%`), or all as shares (0.25). Converts them to percent, and says
 * how they were written, because the API gets them in this form.
 */
const OwnershipThresholds = z
  .array(
    z
      .union([z.number(), z.string().regex(/^\d+(\.\d+)?%$/)], 'must be a percentage like 25% or a share like 0.25')
      .refine(
        (one) => (typeof one === 'number' ? one >= 0 && one <= 1 : percentOf(one) <= 100),
        'must be at most 100%',
      ),
  )
  .min(1)
  .max(10)
  .refine((all) => new Set(all.map(percentOf)).size === all.length, 'must not name a threshold twice')
  .refine((all) => new Set(all.map((one) => typeof one)).size === 1, 'must all be percentages, or all be shares')
  .transform((all) => ({
    percents: all.map(percentOf).toSorted((a, b) => a - b),
    unit: typeof all[0] === 'number' ? ('share' as const) : ('percent' as const),
  }));

function percentOf(threshold: number | string): number {
  // Compute with the decimal text: 0.07 * 100 is not exactly 7.
  return typeof threshold === 'number' ? Number(`${threshold}e2`) : Number(threshold.slice(0, -1));
}

/** Reads a share from 0 to 1, written as `0.98` or `98%`. */
const Share = z
  .union([z.number(), Percent], 'must be a share: 0.98 or 98%')
  .refine((share) => share >= 0 && share <= 1, 'must be between 0 and 1 (0% and 100%)');

const TimeZone = z.string().refine((zone) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}, 'must be an IANA time zone like Europe/Copenhagen');

/**
 * Reads the HTTP address of an API. Rejects an address with a part that may contain a secret, such as a password. Error
 * messages do not repeat a rejected address, so that no secret gets into the logs.
 */
const ApiAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) address like https://api.example.com' })
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    return url === null || [url.username, url.password, url.search, url.hash].every((part) => part === '');
  }, 'must not contain a user, password, query or fragment; the API key comes from TIDEMARK_API_KEY');

/** Reads a currency code, ISO 4217. */
const Currency = z.string().regex(CURRENCY, 'must be a currency code of three capital letters like EUR');

/** Reads the place of a file: a path, or a web address without user and password. */
const FileOrAddress = z
  .string()
  .min(1, 'must name a file')
  .refine((text) => {
    if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return true;
    const url = URL.canParse(text) ? new URL(text) : null;
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  }, 'must be a path, or an https address without user and password')
  .refine(
    (text) => !isAddress(text) || !URL.canParse(text) || !isUnsafeAddress(text),
    'is plain http to another machine: anyone on the network path could change the rates. Use https, or download the file and name its path',
  );

/** A TCP port. 0: any free port. */
const Port = z.int().min(0).max(65_535);

const Schedule = z.strictObject({
  cron: z.string().superRefine((cron, context) => {
    const fault = cronFault(cron);
    if (fault !== null) context.addIssue({ code: 'custom', message: `"${cron}" is not a valid schedule: ${fault}` });
  }),
  timezone: TimeZone.default('UTC'),
  lateAfter: Duration.refine((seconds) => seconds >= 60, 'must be at least 1m').prefault('12h'),
});

// Reads the name of a market. The name becomes part of workflow ids, folder names and SQL, so the pattern allows only
// what is safe in all three.
const Name = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,62}$/,
    'must have 1 to 63 characters: lower-case letters, digits, - and _; the first is a letter or digit',
  );

/** Reads, for each stream, the age at which its records become stale. In seconds. */
const Refresh = z
  .strictObject(
    Object.fromEntries(
      MarketStream.options.map((stream) => [stream, Duration.prefault(FETCHED[stream].refresh)]),
    ) as Record<MarketStream, z.ZodPrefault<typeof Duration>>,
  )
  .prefault({});
/** The ages that apply to a market without `refresh`, in seconds. */
export const DEFAULT_REFRESH = Refresh.parse({});

/**
 * Reads a stock-exchange ticker. Accepts only text, because YAML reads an unquoted `0700` as a number and `TRUE` as a
 * boolean.
 */
const Ticker = z
  .string('must be text: put it in quotes, like "0700"')
  .regex(/^[^\s\p{C}]([^\p{C}]{0,30}[^\s\p{C}])?$/u, 'must be a ticker of 1 to 32 characters');

/** Default of `markets[].remainder`. */
export const DEFAULT_REMAINDER = 0.05;

const Market = z
  .strictObject({
    name: Name,
    filters: z.record(z.string(), z.unknown()).default({}),
    streams: z.array(MarketStream).min(1).default(['companies', 'financials']),
    tickers: z
      .array(Ticker)
      .max(1_000)
      .default([])
      .refine((all) => new Set(all.map((ticker) => ticker.toUpperCase())).size === all.length, 'names a ticker twice'),
    refresh: Refresh,
    minCoverage: Share.default(0),
    maxDrop: Share.default(0.1),
    remainder: Share.default(DEFAULT_REMAINDER),
    schedule: Schedule.optional(),
  })
  .refine(({ tickers, streams }) => tickers.length === 0 || streams.includes('financials_ticker'), {
    path: ['tickers'],
    message: 'needs financials_ticker in `streams` of the same market',
  });

/** Where to copy published builds. The storage itself checks the name of the bucket in more detail. */
const CopyPlace = z
  .string()
  .regex(
    /^(?:s3:\/\/[a-z0-9][a-z0-9.-]+(?:\/[^?#]*)?|(?![a-z0-9]+:\/\/).+)$/,
    'must be s3://<bucket>/<prefix> or a folder',
  );

/** Address of an S3-compatible service. It must not contain credentials. */
const BucketEndpoint = z
  .string()
  .regex(/^https?:\/\/[^/?#@]+[^?#@]*$/, 'must be an address such as https://s3.example.com');

/** How to reach an S3-compatible service, where the environment does not say it. */
const REACH = {
  endpoint: BucketEndpoint.optional(),
  region: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'must be a region such as eu-north-1')
    .optional(),
  pathStyle: z.boolean().optional(),
};

/** The content of `tidemark.yaml` (docs/configuration.md). The object is strict, so that a misspelt key is an error. */
export const ConfigSchema = z.strictObject({
  api: z.strictObject({
    baseUrl: ApiAddress,
    connectorUrl: ApiAddress.optional(),
    allowHttp: z.boolean().default(false),
    maxConcurrency: z.int().min(1).max(MOST_IN_FLIGHT).default(16),
    perPage: z
      .union([z.literal('auto'), z.int().min(1)], 'must be auto or a whole number of at least 1')
      .default('auto'),
    requestsPerSecond: z.number().positive().optional(),
    timeout: Wait.prefault('30s'),
  }),
  quota: z
    .strictObject({
      metric: z.string().default('auto'),
      probeEvery: Wait.prefault('15m'),
      reserve: Percent.refine((share) => share <= 1, 'must be between 0% and 100%').prefault('5%'),
    })
    .prefault({}),
  data: CopyPlace.default('./data'),
  storage: z.strictObject(REACH).prefault({}),
  models: z.string().min(1).optional(),
  markets: z
    .array(Market)
    .default([])
    .refine((all) => new Set(all.map((m) => m.name)).size === all.length, 'two markets have the same name'),
  tenders: z
    .strictObject({ filters: z.record(z.string(), z.unknown()).default({}), schedule: Schedule.optional() })
    .optional(),
  nomenclatures: z.boolean().default(true),
  readers: z.enum(['owner', 'group', 'everyone']).default('owner'),
  publish: z
    .strictObject({
      keep: z.int().min(1).max(1_000).default(3),
      to: CopyPlace.optional(),
    })
    .prefault({}),
  fx: z
    .strictObject({ file: FileOrAddress, base: Currency.default('EUR'), reporting: Currency.default('EUR') })
    .optional(),
  personalData: z.enum(['none', 'contacts']).default('none'),
  retention: Age.optional(),
  ownership: z
    .strictObject({
      thresholds: OwnershipThresholds.prefault(['25%']),
      parameter: z.string().min(1).default('threshold'),
      enrich: z.boolean().default(false),
    })
    .prefault({})
    .transform(({ thresholds: { percents, unit }, ...others }) => ({ thresholds: percents, unit, ...others })),
  metrics: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      port: Port.optional(),
    })
    .optional(),
  notify: NotifySchema,
  worker: z.strictObject({ versioning: z.enum(['auto', 'manual']).default('auto') }).prefault({}),
  watch: z
    .strictObject({
      callback: z.url().optional(),
      fields: z.array(z.string()).optional(),
      select: z.string().optional(),
      schedule: Schedule.optional(),
    })
    .optional(),
});
export type ConfigFile = z.infer<typeof ConfigSchema>;
export type MarketConfig = ConfigFile['markets'][number];
