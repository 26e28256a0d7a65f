import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { linkToRun, resolveTemporal } from '../../../src/temporal/connect.js';
import { findPlace } from '../../../src/store/lock/holder.mjs';
import { forgetDevServer, readDevServer, writeDevServer } from '../../../src/temporal/dev-server-state.js';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-state-'));
  for (const name of Object.keys(process.env)) if (name.startsWith('TEMPORAL_')) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A process that looks like the dev server: its command line contains \`start-dev\`. */
async function pretendServer(): Promise<{ pid: number; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'server', 'start-dev']);
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid ?? 0, stop };
}

const where = { place: findPlace(), address: '127.0.0.1:17999', ui: 'http://127.0.0.1:18999' };

describe('the dev server of a data folder', () => {
  it('finds the dev server while it lives, but not after', async () => {
    const server = await pretendServer();
    await writeDevServer(dataDir, { ...where, pid: server.pid });
    expect(resolveTemporal(dataDir)).toMatchObject({ address: where.address, ui: where.ui, source: 'data folder' });
    await server.stop();
    expect(readDevServer(dataDir)).toBeNull();
    expect(resolveTemporal(dataDir)).toMatchObject({ address: '127.0.0.1:7233', source: 'default' });
  });

  it('gives the UI to a worker that gets the address from `up`, but not to one with another server', async () => {
    const server = await pretendServer();
    await writeDevServer(dataDir, { ...where, pid: server.pid });
    vi.stubEnv('TEMPORAL_ADDRESS', where.address);
    const target = resolveTemporal(dataDir);
    expect(target).toMatchObject({ source: 'environment', ui: where.ui });
    expect(linkToRun(target, 'snapshot/demo/1', 'r')).toBe(
      `${where.ui}/namespaces/default/workflows/snapshot%2Fdemo%2F1/r/history`,
    );
    vi.stubEnv('TEMPORAL_ADDRESS', 'temporal.example.com:7233');
    expect(resolveTemporal(dataDir)).toMatchObject({ source: 'environment', ui: null });
    await server.stop();
  });

  it("ignores another process that has the server's old id", async () => {
    await writeDevServer(dataDir, { ...where, pid: process.pid });
    expect(readDevServer(dataDir)).toBeNull();
  });

  it('ignores a process with the same id in another container', async () => {
    const server = await pretendServer();
    await writeDevServer(dataDir, { ...where, place: 'another boot pid:[1] host', pid: server.pid });
    expect(readDevServer(dataDir)).toBeNull();
    await server.stop();
  });

  it("is not removed by an earlier server's exit", async () => {
    const server = await pretendServer();
    await writeDevServer(dataDir, { ...where, pid: server.pid });
    forgetDevServer(dataDir, server.pid + 1);
    expect(readDevServer(dataDir)?.pid).toBe(server.pid);
    forgetDevServer(dataDir, server.pid);
    expect(readDevServer(dataDir)).toBeNull();
    await server.stop();
  });

  it('ignores a truncated state file of the dev server', () => {
    mkdirSync(path.join(dataDir, 'temporal'));
    writeFileSync(path.join(dataDir, 'temporal', 'server.json'), '{"pid": 1');
    expect(readDevServer(dataDir)).toBeNull();
  });

  it('prefers TEMPORAL_ADDRESS and its namespace to the dev server', async () => {
    vi.stubEnv('TEMPORAL_ADDRESS', 'temporal.example:7233');
    vi.stubEnv('TEMPORAL_NAMESPACE', 'market');
    expect(resolveTemporal(dataDir)).toMatchObject({
      address: 'temporal.example:7233',
      namespace: 'market',
      source: 'environment',
    });
  });
});
