import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createClock, dayIn } from '../../../src/core/clock.js';
import { loadConfig, pickMarket, readApiKey } from '../../../src/core/config.js';
import { ROOT } from '../../helpers/processes.js';

const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = path.join(folder, 'tidemark.yaml');
const load = (text: string, env: NodeJS.ProcessEnv = {}) => {
  writeFileSync(file, text);
  return loadConfig(file, env);
};
const API = 'api: { baseUrl: "http://127.0.0.1:4010" }\n';

describe('tidemark.yaml', () => {
  it('the example is valid', () => {
    expect(loadConfig(path.join(ROOT, 'tidemark.example.yaml'), {}).markets.map((market) => market.name)).toEqual([
      'demo',
    ]);
  });

  it('knows durations, shares and the environment', () => {
    const config = load(
      `${API}quota: { probeEvery: 15m, reserve: 5% }\nmarkets: [{ name: a, refresh: { companies: 2h } }]`,
      {
        TIDEMARK_API_URL: 'https://api.example.com',
        TIDEMARK_DATA: 'elsewhere',
      },
    );
    expect(config.quota).toMatchObject({ probeEvery: 900, reserve: 0.05 });
    expect(config.markets[0]?.refresh).toEqual({ companies: 7_200, financials: 90 * 86_400 });
    expect(config.api.baseUrl).toBe('https://api.example.com');
    expect(config.dataDir).toBe(path.join(folder, 'elsewhere'));
  });

  it('takes shares as numbers or percentages, between 0 and 1', () => {
    const market = (settings: string) => load(`${API}markets: [{ name: a, ${settings} }]`).markets[0];
    expect(market('streams: [companies]')).toMatchObject({ minCoverage: 0, maxDrop: 0.1 });
    expect(market('minCoverage: 0.98, maxDrop: 25%')).toMatchObject({ minCoverage: 0.98, maxDrop: 0.25 });
    expect(() => market('minCoverage: 98')).toThrow(/minCoverage: .*between 0 and 1/);
    expect(() => market('maxDrop: 150%')).toThrow(/maxDrop: .*between 0 and 1/);
    expect(() => market('minCoverage: most')).toThrow(/minCoverage: must be a share/);
  });

  it.each([
    ['api: [', /cannot be read as YAML.*line 1/s],
    ['just words', /must be a mapping/],
    ['markets: []', /api\.baseUrl|api: /],
    [`${API}market: []`, /Unrecognized key: "market"/],
    [`${API}markets: [{ name: "Nordics!" }]`, /markets\.0\.name: must be lower-case/],
    [`${API}markets: [{ name: a }, { name: a }]`, /two markets have the same name/],
    [
      `${API}markets: [{ name: a, refresh: { companies: soon } }]`,
      /markets\.0\.refresh\.companies: must be a number and a unit/,
    ],
    [`${API}markets: [{ name: a, schedule: { cron: "0 2 * *" } }]`, /five fields/],
    [`${API}markets: [{ name: a, schedule: { cron: "0 2 * * *", timezone: Mars } }]`, /no IANA time zone/],
    ['api: { baseUrl: "ftp://x" }', /api\.baseUrl/],
    ['api: { baseUrl: "http://x", apiKey: abc }', /key does not belong in the configuration/],
  ])('refuses %j by name', (text, words) => {
    expect(() => load(text)).toThrow(words);
  });

  it('says which file is missing', () => {
    expect(() => loadConfig(path.join(folder, 'none.yaml'), {})).toThrow(/There is no file .*none\.yaml/);
  });

  it('picks the only market, or asks which', () => {
    expect(pickMarket(load(`${API}markets: [{ name: a }]`), undefined).name).toBe('a');
    expect(() => pickMarket(load(`${API}markets: [{ name: a }, { name: b }]`), undefined)).toThrow(
      /Which market\?.*a, b/,
    );
  });
});

describe('the key', () => {
  it('comes from the environment or a file, and nowhere else', () => {
    const keyFile = path.join(folder, 'key');
    writeFileSync(keyFile, 'from-file\n');
    expect(readApiKey({ TIDEMARK_API_KEY: ' direct ' })).toBe('direct');
    expect(readApiKey({ TIDEMARK_API_KEY_FILE: keyFile })).toBe('from-file');
    expect(() => readApiKey({})).toThrow(/neither TIDEMARK_API_KEY nor TIDEMARK_API_KEY_FILE/);
    expect(() => readApiKey({ TIDEMARK_API_KEY: 'two words' })).toThrow(/spaces or control characters/);
  });
});

describe('the clock', () => {
  it('goes on from TIDEMARK_NOW', () => {
    const clock = createClock({ TIDEMARK_NOW: '2030-01-01T00:00:00Z' });
    expect(clock.now().toISOString()).toMatch(/^2030-01-01T00:00/);
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(Date.parse('2030-01-01T00:00:00Z'));
    expect(() => createClock({ TIDEMARK_NOW: 'tomorrow' })).toThrow(/TIDEMARK_NOW is not an ISO instant: tomorrow/);
  });

  it('knows which day it is where', () => {
    const instant = new Date('2026-11-20T23:30:00Z');
    expect([dayIn('UTC', instant), dayIn('Asia/Tokyo', instant)]).toEqual(['2026-11-20', '2026-11-21']);
  });
});
