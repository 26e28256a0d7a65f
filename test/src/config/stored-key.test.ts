import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../src/config/secrets.js';
import { findApiKey, forgetKey, keySource, storeKey, type KeyPlace } from '../../../src/config/stored-key.js';

const KEY = 'stored-key-0123456789';
let dataDir: string;
let place: KeyPlace;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-stored-key-'));
  place = { dataDir, api: { baseUrl: 'https://api.example.com' } };
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

const secrets = (): string[] => readdirSync(path.join(dataDir, 'secrets')).toSorted();

describe('the stored API key', () => {
  it('finds the stored key only if the environment names none', async () => {
    expect(() => findApiKey(place, {})).toThrow(/neither TIDEMARK_API_KEY nor TIDEMARK_API_KEY_FILE/);
    await storeKey(place, KEY);
    const other = path.join(dataDir, 'other');
    writeFileSync(other, 'from-another-file');
    expect(findApiKey(place, {})).toBe(KEY);
    expect(findApiKey(place, { TIDEMARK_API_KEY: 'direct' })).toBe('direct');
    expect(findApiKey(place, { TIDEMARK_API_KEY_FILE: other })).toBe('from-another-file');
    expect(keySource(place, {}).file).toBe(path.join(dataDir, 'secrets', 'api-key'));
    expect(keySource(place, { TIDEMARK_API_KEY: 'direct' }).words).toBe('TIDEMARK_API_KEY');
    expect(keySource(place, { TIDEMARK_API_KEY_FILE: other })).toEqual({ words: other, file: other });
  });

  it('stores the key in files that only their owner can read', async () => {
    await storeKey(place, KEY);
    expect(secrets()).toEqual(['api-key', 'login.json']);
    for (const name of secrets()) expect(statSync(path.join(dataDir, 'secrets', name)).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(dataDir, 'secrets')).mode & 0o777).toBe(0o700);
    // The file holds only the key, so TIDEMARK_API_KEY_FILE can name it on another machine.
    expect(readFileSync(path.join(dataDir, 'secrets', 'api-key'), 'utf8')).toBe(`${KEY}\n`);
    expect(readFileSync(path.join(dataDir, 'secrets', 'login.json'), 'utf8')).not.toContain(KEY);
  });

  it('keeps a stored key from another API', async () => {
    await storeKey(place, KEY);
    const other = { dataDir, api: { baseUrl: 'http://127.0.0.1:4010' } };
    expect(() => findApiKey(other, {})).toThrow(/for https:\/\/api\.example\.com\/, but api\.baseUrl is http:\/\/127/);
    expect(findApiKey({ dataDir, api: { baseUrl: 'https://api.example.com/' } }, {})).toBe(KEY);
  });

  it('replaces the stored key at the next sign-in', async () => {
    await storeKey(place, 'first-key-0123456789');
    await storeKey({ dataDir, api: { baseUrl: 'https://b.example.com' } }, KEY);
    expect(() => findApiKey(place, {})).toThrow(/The stored API key is for/);
  });

  it('hides a stored key in errors and logs once it was read', async () => {
    const key = 'remembered-key-0123456789';
    await storeKey(place, key);
    findApiKey(place, {});
    expect(hideSecrets(`refused: ${key}`)).toBe('refused: [redacted]');
  });

  it('removes the stored key', async () => {
    await storeKey(place, KEY);
    expect(forgetKey(dataDir)).toBe(true);
    expect(secrets()).toEqual([]);
    expect(forgetKey(dataDir)).toBe(false);
    expect(() => findApiKey(place, {})).toThrow(/No API key/);
  });

  it.each(['{', '{}', '{"address":7}'])('says what to do about a damaged login.json: %s', async (text) => {
    await storeKey(place, KEY);
    writeFileSync(path.join(dataDir, 'secrets', 'login.json'), text);
    expect(() => findApiKey(place, {})).toThrow(/login\.json cannot be read/);
    await storeKey(place, KEY);
    expect(findApiKey(place, {})).toBe(KEY);
  });

  it('says what to do about a missing key file', async () => {
    await storeKey(place, KEY);
    rmSync(path.join(dataDir, 'secrets', 'api-key'));
    expect(() => findApiKey(place, {})).toThrow(/cannot be read from .*api-key/);
  });
});
