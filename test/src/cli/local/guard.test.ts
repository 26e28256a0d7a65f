import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { spawnGuarded } from '../../../../src/cli/local/spawn-guarded.js';
import { processExists } from '../../../../src/store/lock/holder.mjs';
import { ROOT } from '../../../helpers/processes.js';
import { waitUntil } from '../../../helpers/sandbox.js';

// Prints that it is ready, notes a SIGTERM, and would otherwise run forever.
const SERVER = `
process.on('SIGTERM', () => { require('node:fs').writeFileSync(process.argv[1], 'stopped in order'); process.exit(0); });
console.log('ready');
setInterval(() => {}, 1000);
`;

let dir: string;
let logFile: string;
let note: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tidemark-guard-'));
  logFile = path.join(dir, 'logs', 'server.log');
  note = path.join(dir, 'note');
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const ready = (line: string): true | null => (line === 'ready' ? true : null);

describe('a guarded process', () => {
  it('logs a guarded process and stops it gracefully', async () => {
    const server = spawnGuarded({ what: 'The server', command: process.execPath, args: ['-e', SERVER, note], logFile });
    const [pid] = await Promise.all([server.pid, server.line(ready, 20_000)]);
    expect(processExists(pid)).toBe(true);
    await server.stop();
    // It is dead at once; the system may take a moment to remove it.
    await vi.waitFor(() => expect(processExists(pid)).toBe(false), { timeout: 30_000 });
    expect(readFileSync(note, 'utf8')).toBe('stopped in order');
    expect(readFileSync(logFile, 'utf8')).toContain('ready');
  });

  it('hides secrets from the environment of a guarded process', async () => {
    vi.stubEnv('TIDEMARK_API_KEY', 'canary-key');
    vi.stubEnv('TIDEMARK_WEBHOOK_SECRET', 'canary-secret');
    vi.stubEnv('TIDEMARK_NOTIFY_MAIL_PASSWORD', 'canary-password');
    vi.stubEnv('TIDEMARK_DATA', 'elsewhere');
    try {
      const args = ['-e', 'console.log(JSON.stringify(process.env)); setInterval(() => {}, 1000)'];
      const server = spawnGuarded({ what: 'The server', command: process.execPath, args, logFile });
      const told = await server.line((line) => (line.startsWith('{') ? line : null), 20_000);
      expect(told).toContain('"TIDEMARK_DATA":"elsewhere"');
      expect(told).not.toContain('canary');
      await server.stop();
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('reports a guarded process that exits, with its last output', async () => {
    const args = ['-e', 'console.error("out of luck"); process.exit(3)'];
    const server = spawnGuarded({ what: 'The server', command: process.execPath, args, logFile });
    await expect(server.died).rejects.toThrow(/The server ended unexpectedly \(exit code 3\)[\s\S]*out of luck/);
  });

  it('reports a killed process with the errors of its log', async () => {
    const log = ['{"level":30,"msg":"all is well"}', '{"level":50,"msg":"oh no","err":{"message":"no luck"}}'];
    const script = `console.error(${JSON.stringify(log.join('\n'))}); process.kill(process.pid, 'SIGKILL')`;
    const server = spawnGuarded({ what: 'The server', command: process.execPath, args: ['-e', script], logFile });
    const message = await server.died.catch((error: Error) => error.message);
    expect(message).toBe(
      'The server ended unexpectedly (killed by SIGKILL; start it again, open runs continue where they stopped).\n  | oh no: no luck',
    );
  });

  it('reports a guarded process that cannot start', async () => {
    const server = spawnGuarded({ what: 'The server', command: path.join(dir, 'nothing'), args: [], logFile });
    await expect(server.line(ready, 20_000)).rejects.toThrow(/cannot start/);
  });

  it('stops a guarded process whose guard was killed', async () => {
    const server = spawnGuarded({ what: 'The server', command: process.execPath, args: ['-e', SERVER, note], logFile });
    const [pid] = await Promise.all([server.pid, server.line(ready, 20_000)]);
    const guard = Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
    process.kill(guard, 'SIGKILL');
    await expect(server.died).rejects.toThrow(/The server ended unexpectedly/);
    await server.stop();
    await waitUntil('the process has ended', async () => !processExists(pid));
    expect(readFileSync(note, 'utf8')).toBe('stopped in order');
  });

  it('ends a guarded process when its owner is killed', async () => {
    const owner = path.join(dir, 'owner.mjs');
    const module = path.join(ROOT, 'src', 'cli', 'local', 'spawn-guarded.ts');
    writeFileSync(
      owner,
      `import { spawnGuarded } from ${JSON.stringify(module)};
       const server = spawnGuarded(${JSON.stringify({ what: 'x', command: process.execPath, args: ['-e', SERVER, note], logFile })});
       const [pid] = await Promise.all([server.pid, server.line((line) => (line === 'ready' ? true : null), 20000)]);
       console.log(pid);`,
    );
    const child = spawn(process.execPath, ['--import', path.join(ROOT, 'node_modules/tsx/dist/loader.mjs'), owner], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) =>
      child.stdout.once('data', (data: Buffer) => resolve(Number(data.toString()))),
    );
    expect(processExists(pid)).toBe(true);
    child.kill('SIGKILL');
    await waitUntil('the guarded process has ended', async () => !processExists(pid));
    expect(readFileSync(note, 'utf8')).toBe('stopped in order');
  });
});
