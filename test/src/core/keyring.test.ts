import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteFromKeyring, readFromKeyring } from '../../../src/core/keyring.js';
import { findApiKey, forgetKey, keySource, storeKey } from '../../../src/core/stored-key.js';

const KEY = 'keyring-key-0123456789';
const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
const hasService = process.platform === 'linux' && has('dbus-daemon') && has('gnome-keyring-daemon');

let folder: string;
let started: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidemark-keyring-'));
  started = [];
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a session bus with an unlocked keyring of its own. */
async function startKeyring(): Promise<void> {
  for (const name of ['HOME', 'XDG_RUNTIME_DIR', 'XDG_DATA_HOME']) {
    const own = path.join(folder, name);
    mkdirSync(own, { mode: 0o700 });
    vi.stubEnv(name, own);
  }
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(bus);
  const [address] = (await once(createInterface({ input: bus.stdout }), 'line')) as [string];
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', address);
  const keyring = spawn('gnome-keyring-daemon', ['--unlock', '--foreground', '--components=secrets'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  started.push(keyring);
  keyring.stdin.end('password');
  await vi.waitFor(() => expect(() => readFromKeyring('nobody')).not.toThrow(), { timeout: 30_000, interval: 200 });
}

describe('the keyring of the machine', () => {
  beforeEach(({ skip }) => skip(!hasService, 'needs dbus-daemon and gnome-keyring-daemon'));

  it('holds the stored key, and no file does', async () => {
    await startKeyring();
    const dataDir = path.join(folder, 'data');
    const place = { dataDir, api: { baseUrl: 'https://api.example.com' } };
    await storeKey(place, 'earlier-key-0123456789', 'file');
    const { login, withoutKeyring } = await storeKey(place, KEY, 'auto');
    expect([login.keptIn, withoutKeyring]).toEqual(['keyring', null]);
    expect(readdirSync(path.join(dataDir, 'secrets'))).toEqual(['login.json']);
    expect(readFileSync(path.join(dataDir, 'secrets', 'login.json'), 'utf8')).not.toContain(KEY);
    expect(findApiKey(place, {})).toBe(KEY);
    expect(keySource(place, {}).file).toBeUndefined();

    const next = await storeKey(place, 'next-key-0123456789', 'keyring');
    expect([readFromKeyring(login.account), readFromKeyring(next.login.account)]).toEqual([
      null,
      'next-key-0123456789',
    ]);
    expect(forgetKey(dataDir)).toBe(true);
    expect(readFromKeyring(next.login.account)).toBeNull();
    expect(deleteFromKeyring(next.login.account)).toBe(false);
    expect(existsSync(path.join(dataDir, 'secrets', 'login.json'))).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('a session bus that never answers', () => {
  it('gives up after the time limit', async () => {
    // In another process, because the keyring is read synchronously.
    const socket = path.join(folder, 'bus');
    const silent = spawn(process.execPath, [
      '-e',
      `require('node:net').createServer(() => {}).listen(${JSON.stringify(socket)})`,
    ]);
    started.push(silent);
    await vi.waitFor(() => expect(existsSync(socket)).toBe(true), { timeout: 30_000, interval: 50 });
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', `unix:path=${socket}`);
    expect(() => readFromKeyring('nobody')).toThrow(/did not answer within 20 s; it may be locked/);
  });
});
