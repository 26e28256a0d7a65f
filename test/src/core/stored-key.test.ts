import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hideSecrets } from '../../../src/core/secrets.js';
import { findApiKey, forgetKey, keySource, storeKey, type KeyPlace } from '../../../src/core/stored-key.js';

const KEY = 'stored-key-0123456789';
let dataDir: string;
let place: KeyPlace;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-stored-key-'));
  place = { dataDir, api: { baseUrl: 'https://api.example.com' } };
  // No keyring, also on a developer's machine with Linux.
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere');
  vi.stubEnv('XDG_RUNTIME_DIR', '/nowhere');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

const secrets = (): string[] => readdirSync(path.join(dataDir, 'secrets')).toSorted();

describe('the stored API key', () => {
  it('finds the stored key only if the environment names none', async () => {
    expect(() => findApiKey(place, {})).toThrow(/neither TIDEMARK_API_KEY nor TIDEMARK_API_KEY_FILE/);
    await storeKey(place, KEY, 'file');
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
    await storeKey(place, KEY, 'file');
    expect(secrets()).toEqual(['api-key', 'login.json']);
    for (const name of secrets()) expect(statSync(path.join(dataDir, 'secrets', name)).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(dataDir, 'secrets')).mode & 0o777).toBe(0o700);
    // The file holds only the key, so TIDEMARK_API_KEY_FILE can name it on another machine.
    expect(readFileSync(path.join(dataDir, 'secrets', 'api-key'), 'utf8')).toBe(`${KEY}\n`);
    expect(readFileSync(path.join(dataDir, 'secrets', 'login.json'), 'utf8')).not.toContain(KEY);
  });

  it('keeps a stored key from another API', async () => {
    await storeKey(place, KEY, 'file');
    const other = { dataDir, api: { baseUrl: 'http://127.0.0.1:4010' } };
    expect(() => findApiKey(other, {})).toThrow(/for https:\/\/api\.example\.com\/, but api\.baseUrl is http:\/\/127/);
    expect(findApiKey({ dataDir, api: { baseUrl: 'https://api.example.com/' } }, {})).toBe(KEY);
  });

  it('replaces the stored key at the next sign-in', async () => {
    await storeKey(place, 'first-key-0123456789', 'file');
    await storeKey({ dataDir, api: { baseUrl: 'https://b.example.com' } }, KEY, 'file');
    expect(() => findApiKey(place, {})).toThrow(/The stored API key is for/);
  });

  it('hides a stored key in errors and logs once it was read', async () => {
    const key = 'remembered-key-0123456789';
    await storeKey(place, key, 'file');
    findApiKey(place, {});
    expect(hideSecrets(`refused: ${key}`)).toBe('refused: [redacted]');
  });

  it('removes the stored key', async () => {
    await storeKey(place, KEY, 'file');
    expect(forgetKey(dataDir)).toBe(true);
    expect(secrets()).toEqual([]);
    expect(forgetKey(dataDir)).toBe(false);
    expect(() => findApiKey(place, {})).toThrow(/No API key/);
  });

  it.each(['{', '{}', '{"address":"https://api.example.com/","keptIn":"elsewhere","account":""}'])(
    'says what to do about a damaged login.json: %s',
    async (text) => {
      await storeKey(place, KEY, 'file');
      writeFileSync(path.join(dataDir, 'secrets', 'login.json'), text);
      expect(() => findApiKey(place, {})).toThrow(/login\.json cannot be read/);
      await storeKey(place, KEY, 'file');
      expect(findApiKey(place, {})).toBe(KEY);
    },
  );

  it('says what to do about a missing key file', async () => {
    await storeKey(place, KEY, 'file');
    rmSync(path.join(dataDir, 'secrets', 'api-key'));
    expect(() => findApiKey(place, {})).toThrow(/cannot be read from .*api-key/);
  });
});

describe.runIf(process.platform === 'linux')('without a keyring', () => {
  it('stores the key in a file and says why', async () => {
    const { login, withoutKeyring } = await storeKey(place, KEY, 'auto');
    expect([login.keptIn, withoutKeyring]).toEqual(['file', expect.stringMatching(/.+/)]);
    expect(withoutKeyring).not.toContain(KEY);
    expect(findApiKey(place, {})).toBe(KEY);
  });

  it('refuses to store the key if the keyring is demanded', async () => {
    await expect(storeKey(place, KEY, 'keyring')).rejects.toThrow(/keyring of this machine cannot keep the API key/);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('says that a key in the keyring cannot be read', async () => {
    await storeKey(place, KEY, 'file');
    const login = { address: 'https://api.example.com/', keptIn: 'keyring', account: 'api.example.com 0' };
    writeFileSync(path.join(dataDir, 'secrets', 'login.json'), JSON.stringify(login));
    expect(() => findApiKey(place, {})).toThrow(/cannot be read from the keyring/);
    expect(() => forgetKey(dataDir)).toThrow(/still in the keyring/);
  });
});
