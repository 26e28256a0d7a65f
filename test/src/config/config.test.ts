import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createClock, dayIn } from '../../../src/base/time/clock.js';
import {
  apiKeyFile,
  backfillStreams,
  configPath,
  hashFile,
  keepsContacts,
  loadConfig,
  pickMarket,
  readApiKey,
} from '../../../src/config/config.js';
import type { TidemarkError } from '../../../src/base/errors.js';
import { ROOT } from '../../helpers/processes.js';

const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = path.join(folder, 'tidemark.yaml');
const load = (text: string, env: NodeJS.ProcessEnv = {}) => {
  writeFileSync(file, text);
  return loadConfig(file, env);
};
const error = (work: () => unknown): TidemarkError => {
  try {
    work();
  } catch (thrown) {
    return thrown as TidemarkError;
  }
  throw new Error('expected it to throw');
};
const API = 'api: { baseUrl: "http://127.0.0.1:4010" }\n';

describe('tidemark.yaml', () => {
  it('accepts tidemark.example.yaml', () => {
    expect(loadConfig(path.join(ROOT, 'tidemark.example.yaml'), {}).markets.map((market) => market.name)).toEqual([
      'demo',
    ]);
  });

  it.each(['http://rates.example.com/r.csv', 'HTTP://10.0.0.1/r.csv', 'http://127.0.0.1.example.com/'])(
    'refuses exchange rates over plain http: %s',
    (address) => {
      expect(error(() => load(`${API}fx: { file: "${address}" }`)).message).toContain(
        'fx.file: is plain http to another machine',
      );
    },
  );

  it.each(['https://rates.example.com/r.csv', 'http://127.0.0.1:8080/r.csv', 'http://[::1]/r.csv', 'rates/http.csv'])(
    'accepts exchange rates at %s',
    (name) => expect(load(`${API}fx: { file: "${name}" }`).rates?.name).toBe(name),
  );

  it('reads durations, shares and environment variables', () => {
    const config = load(
      `${API}quota: { probeEvery: 15m, reserve: 5% }\nmarkets: [{ name: a, refresh: { companies: 2h } }]`,
      {
        TIDEMARK_API_URL: 'https://api.example.com',
        TIDEMARK_DATA: 'elsewhere',
      },
    );
    expect(config.quota).toMatchObject({ probeEvery: 900, reserve: 0.05 });
    expect(config.markets[0]?.refresh).toEqual({
      companies: 7_200,
      financials: 90 * 86_400,
      financials_v1: 90 * 86_400,
      companies_v1: 30 * 86_400,
      financials_ticker: 90 * 86_400,
      ownership: 90 * 86_400,
      executives: 90 * 86_400,
      employees: 90 * 86_400,
    });
    expect(config.api.baseUrl).toBe('https://api.example.com');
    expect(config.dataDir).toBe(path.join(folder, 'elsewhere'));
    const inBucket = load(`${API}data: s3://bucket/p`, { TIDEMARK_STORAGE_FOLDER: 'two' });
    expect(inBucket).toMatchObject({ bucket: 's3://bucket/p', dataDir: path.join(folder, 'two') });
  });

  it('reads the thresholds of owners in ascending order', () => {
    const config = load(`${API}ownership: { thresholds: [50%, 12.5%] }`);
    expect(config.ownership).toMatchObject({ thresholds: [12.5, 50], unit: 'percent' });
    const shares = load(`${API}ownership: { thresholds: [0.5, 0.07] }`);
    expect(shares.ownership).toMatchObject({ thresholds: [7, 50], unit: 'share' });
    for (const wrong of ['[]', '[25]', '[-0.1]', '[101%]', '[5%, 5.0%]', '[5%, 0.25]', '25%', '[25 %]'])
      expect(() => load(`${API}ownership: { thresholds: ${wrong} }`)).toThrow(/ownership/);
  });

  it('has a default for everything but the API address', () => {
    const {
      file: _file,
      hash: _hash,
      fileHash: _fileHash,
      dataDir,
      ...settings
    } = load(`${API}markets: [{ name: a }]`);
    expect(dataDir).toBe(path.join(folder, 'data'));
    expect(settings).toEqual({
      api: {
        baseUrl: 'http://127.0.0.1:4010',
        allowHttp: false,
        maxConcurrency: 16,
        perPage: 'auto',
        timeout: 30,
      },
      quota: { metric: 'auto', probeEvery: 900, reserve: 0.05 },
      data: './data',
      markets: [
        {
          name: 'a',
          filters: {},
          streams: ['companies', 'financials'],
          tickers: [],
          refresh: {
            companies: 30 * 86_400,
            financials: 90 * 86_400,
            financials_v1: 90 * 86_400,
            companies_v1: 30 * 86_400,
            financials_ticker: 90 * 86_400,
            ownership: 90 * 86_400,
            executives: 90 * 86_400,
            employees: 90 * 86_400,
          },
          minCoverage: 0,
          maxDrop: 0.1,
          remainder: 0.05,
        },
      ],
      nomenclatures: true,
      ownership: {
        thresholds: [25],
        parameter: 'threshold',
        unit: 'percent',
        enrich: false,
      },
      notify: [],
      worker: { versioning: 'auto' },
      readers: 'owner',
      storage: {},
      publish: { keep: 3 },
      rates: null,
      personalData: 'none',
    });
  });

  it.each([
    ['api: { baseUrl: "https://x", maxConcurrency: 512, perPage: 1, requestsPerSecond: 0.1, timeout: 24d }'],
    [`${API}quota: { reserve: 100%, probeEvery: 1s }`],
    [`${API}quota: { reserve: 0% }`],
    [`${API}markets: [{ name: a, streams: [financials_ticker], tickers: ["0700", NOVO-B, BRK B] }]`],
    [`${API}markets: [{ name: a, minCoverage: 1, maxDrop: 0, remainder: 0% }]`],
    [`${API}markets: [{ name: a, minCoverage: 12.5%, remainder: 1, refresh: { companies: 36500d } }]`],
    [`${API}markets: [{ name: a, schedule: { cron: "@daily", timezone: Europe/Copenhagen } }]`],
    [`${API}publish: { keep: 1 }`],
    [`${API}publish: { keep: 1000 }`],
    [`${API}tenders: {}`],
    [`${API}retention: 400d`],
    [`${API}watch: { callback: "https://x/hook", fields: [name], select: all, schedule: { cron: "0 1 * * *" } }`],
  ])('accepts the configuration %s', (text) => {
    expect(() => load(text)).not.toThrow();
  });

  it('gives machines with other working copies the same hash, and other buckets another one', () => {
    const hashes = (storage: string, copy = './data'): (string | undefined)[] => {
      const env = { TIDEMARK_STORAGE_FOLDER: copy };
      const { hash, fileHash } = load(`${API}data: s3://market-data/all\n${storage}`, env);
      return [hash, fileHash];
    };
    expect(hashes('', './copy')).toEqual(hashes(''));
    expect(hashes('storage: { region: eu-north-1 }')).not.toEqual(hashes(''));
  });

  it('keeps the data in a bucket, with a working copy, and publishes there', () => {
    const bucket = `${API}data: s3://market-data/all/\nstorage: { endpoint: "https://s3.example.com" }\n`;
    expect(load(bucket, { TIDEMARK_STORAGE_FOLDER: 'copy' })).toMatchObject({
      bucket: 's3://market-data/all/',
      dataDir: path.join(folder, 'copy'),
      storage: { endpoint: 'https://s3.example.com' },
      publish: { to: 's3://market-data/all/published' },
    });
    expect(load(`${bucket}publish: { to: "s3://other/place" }`).publish.to).toBe('s3://other/place');
    expect(load(`${API}data: ./data`).bucket).toBeUndefined();
  });

  it('names line, column and path of each wrong setting', () => {
    const text = `${API}markets:\n  - name: a\n    refresh:\n      companies: soon\nnotify:\n  - webhook: env\n    mial: {}\n`;
    expect(() => load(text)).toThrow(
      /line 5, column 7: markets\[0\]\.refresh\.companies: .*\n {2}line 8, column 5: notify\[0\]\.mial: is not a setting/,
    );
  });

  it('names the variable whose value replaces a setting of the file', () => {
    expect(() => load(`${API}\nmarkets: []`, { TIDEMARK_API_URL: 'no address' })).toThrow(
      /valid:\n {2}TIDEMARK_API_URL \(in place of api\.baseUrl\): must be an http/,
    );
  });

  it('names the section around a missing setting', () => {
    expect(() => load('data: x\napi: {}')).toThrow(/line 2, column 1: api\.baseUrl: is missing: must be an http/);
    expect(() => load('data: x')).toThrow(/valid:\n {2}api\.baseUrl: is missing/);
  });

  it.each([
    ['markets: [{ name: a, stream: [companies] }]', 'markets[0].stream: is not a setting. Did you mean "streams"?'],
    ['markets: [{ name: a, streams: [financial] }]', 'Did you mean "financials"'],
    [
      'markets: [{ name: a, refresh: { compnies: 1d } }]',
      'refresh.compnies: is not a setting. Did you mean "companies"',
    ],
    ['personalData: contact', 'Did you mean "contacts"?'],
    ['publish: { xyzzy: 1 }', 'publish.xyzzy: is not a setting. Settings here: keep, to.'],
  ])('suggests names in %s', (text, words) => {
    expect(error(() => load(API + text)).message).toContain(words);
  });

  it('places a fault behind a YAML anchor', () => {
    const text = `${API}markets:\n  - { name: a, schedule: &night { cron: "0 2 * * *" } }\n  - { name: B, schedule: *night }`;
    expect(() => load(text)).toThrow(/line 4, column 7: markets\[1\]\.name/);
  });

  it("resolves paths from the file's folder and reads addresses from the environment", () => {
    const config = load(`${API}data: ../elsewhere\nmodels: sql`, {
      TIDEMARK_CONNECTOR_URL: 'https://connector.example.com',
    });
    expect(config).toMatchObject({
      file,
      dataDir: path.resolve(folder, '../elsewhere'),
      modelsDir: path.join(folder, 'sql'),
      api: { baseUrl: 'http://127.0.0.1:4010', connectorUrl: 'https://connector.example.com' },
    });
    expect(load('api: 7', { TIDEMARK_API_URL: 'https://x' }).api.baseUrl).toBe('https://x');
  });

  it('hashes settings, ignoring comments', () => {
    const first = load(API);
    const second = load(`# a comment\n${API}`);
    expect([second.hash, second.fileHash, hashFile(file)]).toEqual([first.hash, first.fileHash, first.fileHash]);
    const other = load(API, { TIDEMARK_API_URL: 'https://x' });
    expect(other.hash).not.toBe(first.hash);
    expect(other.fileHash).toBe(first.fileHash);
    expect(first.hash).toMatch(/^[0-9a-f]{16}$/);
  });

  it('accepts shares as numbers or percentages between 0 and 1', () => {
    const market = (settings: string) => load(`${API}markets: [{ name: a, ${settings} }]`).markets[0];
    expect(market('streams: [companies]')).toMatchObject({ minCoverage: 0, maxDrop: 0.1 });
    expect(market('minCoverage: 0.98, maxDrop: 25%')).toMatchObject({ minCoverage: 0.98, maxDrop: 0.25 });
    expect(() => market('minCoverage: 98')).toThrow(/minCoverage: .*between 0 and 1/);
    expect(() => market('maxDrop: 150%')).toThrow(/maxDrop: .*between 0 and 1/);
    expect(() => market('minCoverage: most')).toThrow(/minCoverage: must be a share/);
  });

  it.each([
    ['api: [', /is not valid YAML.*line 1/s],
    ['just words', /must be a mapping/],
    ['markets: []', /api\.baseUrl|api: /],
    [`${API}market: []`, /line 2, column 1: market: is not a setting\. Did you mean "markets"/],
    [`${API}markets: [{ name: "Nordics!" }]`, /markets\[0\]\.name: must have 1 to 63 characters: lower-case letters/],
    [`${API}markets: [{ name: a }, { name: a }]`, /two markets have the same name/],
    [
      `${API}markets: [{ name: a, refresh: { companies: soon } }]`,
      /markets\[0\]\.refresh\.companies: must be a number and a unit/,
    ],
    [`${API}markets: [{ name: a, schedule: { cron: "0 2 * *" } }]`, /five fields/],
    [`${API}markets: [{ name: a, schedule: { cron: "0 2 * * *", timezone: Mars } }]`, /must be an IANA time zone/],
    [
      `${API}markets: [{ name: a, schedule: { cron: "0 25 * * *" } }]`,
      /markets\[0\]\.schedule\.cron: "0 25 \* \* \*" is not a valid schedule: its hour, 25, must be between 0 and 23/,
    ],
    [`${API}tenders: { schedule: { cron: "0 0 31 2 *" } }`, /tenders\.schedule\.cron: .*no day matches/],
    [`${API}data: ""`, /data: must be s3:\/\/<bucket>\/<prefix> or a folder/],
    [
      `${API}markets: [{ name: a, streams: [financials_ticker], tickers: [700] }]`,
      /markets\[0\]\.tickers\[0\]: must be text: put it in quotes/,
    ],
    [
      `${API}markets: [{ name: a, streams: [financials_ticker], tickers: ["A "] }]`,
      /tickers\[0\]: must be a ticker of 1 to 32/,
    ],
    [`${API}markets: [{ name: a, streams: [financials_ticker], tickers: [a, A] }]`, /tickers: names a ticker twice/],
    [`${API}markets: [{ name: a, tickers: [A] }]`, /markets\[0\]\.tickers: needs financials_ticker in `streams`/],
    [`${API}markets: [{ name: a, refresh: { companies: 99999999999999d } }]`, /companies: must be at most 36500d/],
    [`${API}quota: { reserve: 150% }`, /quota\.reserve: must be between 0% and 100%/],
    [`${API}quota: { probeEvery: 0s }`, /quota\.probeEvery: must be between 1s and 24d/],
    ['api: { baseUrl: "http://127.0.0.1:4010", timeout: 0s }', /api\.timeout: must be between 1s and 24d/],
    ['api: { baseUrl: "http://127.0.0.1:4010", timeout: 9999999999d }', /api\.timeout: must be between 1s and 24d/],
    ['api: { baseUrl: "ftp://x" }', /api\.baseUrl/],
    ['api: { baseUrl: "httpsx://x" }', /api\.baseUrl: must be an http\(s\) address/],
    ['api: { baseUrl: "xhttp://x" }', /api\.baseUrl: must be an http\(s\) address/],
    ['api: { baseUrl: "http://x", maxConcurrency: 0 }', /maxConcurrency/],
    ['api: { baseUrl: "http://x", maxConcurrency: 513 }', /maxConcurrency/],
    ['api: { baseUrl: "http://x", perPage: 0 }', /perPage/],
    ['api: { baseUrl: "http://x", requestsPerSecond: 0 }', /requestsPerSecond/],
    ['api: { baseUrl: "http://x", timeout: x30s }', /timeout: must be a number and a unit/],
    ['api: { baseUrl: "http://x", timeout: 30sx }', /timeout: must be a number and a unit/],
    [`${API}quota: { reserve: x5% }`, /reserve: must be a percentage/],
    [`${API}quota: { reserve: 5%x }`, /reserve: must be a percentage/],
    [`${API}markets: [{ name: a, minCoverage: -0.1 }]`, /minCoverage: must be between 0 and 1/],
    [`${API}markets: [{ name: a, streams: [] }]`, /streams/],
    [`${API}markets: [{ name: a, remainder: 101% }]`, /remainder: must be between 0 and 1/],
    [`${API}markets: [{ name: a, remainder: 5 }]`, /remainder: must be between 0 and 1/],
    [`${API}markets: [{ name: a, remainder: -1% }]`, /remainder: must be a share/],
    [`${API}models: ""`, /models/],
    [`${API}retention: 12h`, /retention: must be at least 1d/],
    [`${API}publish: { keep: 0 }`, /publish\.keep/],
    [`${API}publish: { keep: 1001 }`, /publish\.keep/],
    [`${API}tenders: { filter: {} }`, /line 2, column 12: tenders\.filter: is not a setting\. Did you mean "filters"/],
    ['- a\n- list', /must be a mapping/],
    ['api: { baseUrl: "http://x", apiKey: abc }', /Secrets do not belong in this file/],
  ])('rejects %j and names the setting', (text, words) => {
    expect(() => load(text)).toThrow(words);
  });

  it.each([
    'apiKey: SECRET-0123456789',
    'key: SECRET-0123456789',
    'watch: { secret: SECRET-0123456789 }',
    'api: { baseUrl: "http://x", token: SECRET-0123456789 }',
    'api: { baseUrl: "http://x", apiKeyFile: SECRET-0123456789 }',
    'markets: [{ name: a, api_key: SECRET-0123456789 }]',
    'api: { baseUrl: "http://x", api-key-file: SECRET-0123456789 }',
    'watch: { webhookSecret: SECRET-0123456789 }',
    'watch: { webhook_secret: SECRET-0123456789 }',
    'API-Token: SECRET-0123456789',
    'password: SECRET-0123456789',
    'Authorization: SECRET-0123456789',
    'api: { baseUrl: "https://user:SECRET-0123456789@x" }',
    'api: { baseUrl: "https://x/?key=SECRET-0123456789" }',
    'api: { baseUrl: "https://x", connectorUrl: "https://x/#SECRET-0123456789" }',
    'api: { key: "SECRET-0123456789 }',
  ])('rejects a secret in the file without repeating it: %s', (text) => {
    const thrown = error(() => load(text));
    expect(thrown).toMatchObject({ type: 'InvalidConfig' });
    expect(`${thrown.message} ${thrown.todo} ${thrown.stack}`).not.toContain('SECRET-0123456789');
  });

  it('says where a secret belongs, and allows filters named like secrets', () => {
    expect(error(() => load('api: { key: x }'))).toMatchObject({
      message: expect.stringContaining('contains a secret (api.key, line 1, column 8)') as string,
      todo: expect.stringMatching(/set TIDEMARK_API_KEY or TIDEMARK_API_KEY_FILE.*replace the API key/) as string,
    });
    const filters = { key: 'word', token: ['a'] };
    const [market] = load(`${API}markets: [{ name: a, filters: { key: word, token: [a] } }]`).markets;
    expect(market?.filters).toEqual(filters);
  });

  it.each(['../up', 'a/b', "a'b", 'a"b', 'a b', 'a;b', 'a\u0000', 'A', '', '-a', '.', 'a\n', 'x'.repeat(64)])(
    'rejects the market name %j',
    (name) => {
      expect(() => load(`${API}markets: [{ name: ${JSON.stringify(name)} }]`)).toThrow(/markets\[0\]\.name/);
    },
  );

  it('rejects a data folder that DuckDB cannot open', () => {
    const { type, message } = error(() => load(API, { TIDEMARK_DATA: 'what? now' }));
    expect(type).toBe('InvalidConfig');
    expect(message).toContain(path.join(folder, 'what? now'));
  });

  it('names a missing configuration file', () => {
    expect(() => loadConfig(path.join(folder, 'none.yaml'), {})).toThrow(
      /The configuration file .*none\.yaml does not exist/,
    );
  });

  it('says why a configuration file is unreadable', () => {
    const thrown = error(() => loadConfig(folder, {}));
    expect(thrown.message).toMatch(/Cannot read .*EISDIR/);
    expect(thrown.todo).toMatch(/permissions/);
  });

  it('prefers --config, then TIDEMARK_CONFIG, then ./tidemark.yaml', () => {
    expect(configPath('/a.yaml', { TIDEMARK_CONFIG: '/b.yaml' })).toBe('/a.yaml');
    expect(configPath(undefined, { TIDEMARK_CONFIG: '/b.yaml' })).toBe('/b.yaml');
    expect(configPath(undefined, {})).toBe(path.resolve('tidemark.yaml'));
    expect(configPath(undefined, { TIDEMARK_CONFIG: '' })).toBe(path.resolve('tidemark.yaml'));
  });

  it('keeps contact data only if personalData is contacts', () => {
    expect(keepsContacts(load(API))).toBe(false);
    expect(keepsContacts(load(`${API}personalData: contacts`))).toBe(true);
  });

  it('needs no market', () => {
    expect(load(API).markets).toEqual([]);
  });

  it('backfills version 1 reports only if a market reads them', () => {
    const config = load(`${API}markets: [{ name: a }, { name: b, streams: [companies, financials_v1] }]`);
    const first = config.markets.slice(0, 1);
    expect(backfillStreams(config.markets)).toContain('financials_v1');
    expect(backfillStreams(first)).not.toContain('financials_v1');
    expect(backfillStreams(first)).toEqual(backfillStreams(config.markets).filter((each) => each !== 'financials_v1'));
  });

  it('finds a market by name or lists all', () => {
    const config = load(`${API}markets: [{ name: a }, { name: b }]`);
    expect(pickMarket(config, 'b').name).toBe('b');
    expect(() => pickMarket(config, 'c')).toThrow(/declares no market "c"\. It declares: a, b/);
    expect(() => pickMarket(load(API), undefined)).toThrow(/declares: none/);
  });

  it('picks the only market or requires a name', () => {
    expect(pickMarket(load(`${API}markets: [{ name: a }]`), undefined).name).toBe('a');
    expect(() => pickMarket(load(`${API}markets: [{ name: a }, { name: b }]`), undefined)).toThrow(
      /No market was named, .*a, b/,
    );
  });
});

describe('the API key', () => {
  it('reads the API key from the environment or a file only', () => {
    const keyFile = path.join(folder, 'key');
    writeFileSync(keyFile, 'from-file\n');
    expect(readApiKey({ TIDEMARK_API_KEY: ' direct ' })).toBe('direct');
    expect(readApiKey({ TIDEMARK_API_KEY_FILE: keyFile })).toBe('from-file');
    expect(() => readApiKey({})).toThrow(/neither TIDEMARK_API_KEY nor TIDEMARK_API_KEY_FILE/);
    expect(() => readApiKey({ TIDEMARK_API_KEY: 'two words' })).toThrow(
      /spaces, control characters or non-ASCII characters/,
    );
  });

  it('prefers the API key of the environment to the file', () => {
    expect(apiKeyFile({ TIDEMARK_API_KEY: 'direct', TIDEMARK_API_KEY_FILE: '/key' })).toBeUndefined();
    expect(apiKeyFile({ TIDEMARK_API_KEY: ' ', TIDEMARK_API_KEY_FILE: '/key' })).toBe('/key');
    expect(apiKeyFile({ TIDEMARK_API_KEY_FILE: '' })).toBeUndefined();
    expect(apiKeyFile({})).toBeUndefined();
  });

  it.each([
    ['a newline of Windows', 'from-file\r\n'],
    ['a byte order mark', '\ufefffrom-file'],
    ['white space around it', ' \tfrom-file \n\n'],
  ])('accepts a key file with %s', (_name, text) => {
    const keyFile = path.join(folder, 'key');
    writeFileSync(keyFile, text);
    expect(readApiKey({ TIDEMARK_API_KEY: '  ', TIDEMARK_API_KEY_FILE: keyFile })).toBe('from-file');
  });

  it.each([
    ['nothing', '', /is empty/],
    ['white space', ' \n', /is empty/],
    ['two lines', 'one\ntwo', /spaces, control characters or non-ASCII characters/],
    ['letters no header carries', 'schlüssel', /spaces, control characters or non-ASCII characters/],
  ])('rejects a key file with %s', (_name, text, words) => {
    const keyFile = path.join(folder, 'key');
    writeFileSync(keyFile, text);
    expect(() => readApiKey({ TIDEMARK_API_KEY_FILE: keyFile })).toThrow(words);
  });

  it('names a key file that cannot be read', () => {
    const missing = path.join(folder, 'no-key');
    const thrown = error(() => readApiKey({ TIDEMARK_API_KEY_FILE: missing }));
    expect(thrown.message).toContain(`cannot be read from ${missing}`);
    expect(thrown.todo).toContain('TIDEMARK_API_KEY_FILE');
    expect(error(() => readApiKey({ TIDEMARK_API_KEY_FILE: folder })).message).toContain('EISDIR');
  });
});

describe('the configured clock', () => {
  it('starts the clock at TIDEMARK_NOW', () => {
    const clock = createClock({ TIDEMARK_NOW: '2030-01-01T00:00:00Z' });
    expect(clock.now().toISOString()).toMatch(/^2030-01-01T00:00/);
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(Date.parse('2030-01-01T00:00:00Z'));
    expect(() => createClock({ TIDEMARK_NOW: 'tomorrow' })).toThrow(/TIDEMARK_NOW is not an ISO instant: tomorrow/);
  });

  it('computes the day in a time zone', () => {
    const instant = new Date('2026-11-20T23:30:00Z');
    expect([dayIn('UTC', instant), dayIn('Asia/Tokyo', instant)]).toEqual(['2026-11-20', '2026-11-21']);
  });
});
