import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function run(...flags: string[]): { child: ChildProcess; errors: () => string } {
  const args = ['--import', 'tsx', 'sandbox/server.ts', '--companies', '50', '--tenders', '5', ...flags];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return { child, errors: () => errors };
}

async function readyLine(child: ChildProcess): Promise<Record<string, unknown>> {
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await once(lines, 'line')) as [string];
  return JSON.parse(line) as Record<string, unknown>;
}

describe('the sandbox as a process', () => {
  it('prints its address, serves, and ends on SIGTERM', async () => {
    const { child } = run('--port', '0', '--seed', '5', '--date', '2026-11-20');
    const ready = await readyLine(child);
    expect(ready).toEqual({
      sandbox: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      key: 'sandbox-key-5',
      companies: 50,
      seed: 5,
      date: '2026-11-20',
    });
    const headers = { authorization: `Token ${String(ready['key'])}` };
    expect((await fetch(`${String(ready['sandbox'])}/v2/metrics`, { headers })).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('suggests --port when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { child, errors } = run('--port', String(port));
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(errors()).toMatch(/another program uses this port.*--port/i);
    other.close();
  });

  it.each([
    [['--companies', '0'], /companies must be/],
    [['--date', '2026-02-30'], /date must be/],
    [['--incorporation', 'month'], /date, year/],
    [['--statuses', 'limit=9'], /name=status/],
    [['--colour', 'red'], /unknown option/],
  ])('rejects the flags %j', async (flags, message) => {
    const { child, errors } = run(...flags);
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(1);
    expect(errors()).toMatch(message);
  });
});
