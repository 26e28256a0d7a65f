import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { LockOptions } from '../../../../src/store/lock/folder-lock.mjs';
import { findPlace } from '../../../../src/store/lock/holder.mjs';
import { LockLostError, LockSeeker, takeLock, withLock } from '../../../../src/store/lock/lock.js';
import { canMakePidNamespaces, IN_PID_NAMESPACE } from '../../../helpers/pid-namespace.js';
import { ROOT } from '../../../helpers/processes.js';

const QUICK: LockOptions = { what: 'a test', leaseMs: 600, beatMs: 50 };
const HOLDER = ['--import', 'tsx', path.join(ROOT, 'test/helpers/lock-holder.ts')];

let folder: string;
let dir: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidemark-lock-'));
  dir = path.join(folder, 'a.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface HolderProcess {
  child: ChildProcess;
  says(line: RegExp): Promise<string>;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A process that holds the lock, optionally as process 1 of a new namespace. */
function hold(options: Partial<LockOptions> = {}, files: string[] = [], inNamespace = false): HolderProcess {
  const command = [process.execPath, ...HOLDER, dir, JSON.stringify({ ...QUICK, ...options }), ...files];
  const [program = '', ...args] = inNamespace ? [...IN_PID_NAMESPACE, ...command] : command;
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const ended = once(child, 'exit');
  const holder: HolderProcess = {
    child,
    async says(pattern) {
      for (;;) {
        const found = lines.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        if (child.exitCode !== null) throw new Error(`ended without saying ${pattern}: ${lines.join(' / ')}`);
        await sleep(10);
      }
    },
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) await holder.end('SIGKILL');
  });
  return holder;
}

describe('a lock', () => {
  it('runs one task at a time and leaves no files', async () => {
    const order: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      order.push(`${name} in`);
      await sleep(20);
      order.push(`${name} out`);
      if (name === 'a') throw new Error('a failed');
    };
    const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => withLock(dir, QUICK, work(name))));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    for (let i = 0; i < order.length; i += 2) expect(order[i + 1]).toBe(order[i]?.replace('in', 'out'));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('lets one process at a time change a file', async () => {
    const journal = path.join(folder, 'journal');
    const script = `
      import { appendFileSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { withLock } from ${JSON.stringify(path.join(ROOT, 'src/store/lock/lock.ts'))};
      for (let round = 0; round < 5; round++) await withLock(${JSON.stringify(dir)}, { what: 'a test' }, async () => {
        appendFileSync(${JSON.stringify(journal)}, 'in ' + process.pid + '\\n');
        await sleep(5);
        appendFileSync(${JSON.stringify(journal)}, 'out ' + process.pid + '\\n');
      });`;
    const run = async (): Promise<unknown> =>
      (
        await once(
          spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
            cwd: ROOT,
            stdio: 'inherit',
          }),
          'exit',
        )
      )[0];
    expect(await Promise.all([run(), run(), run()])).toEqual([0, 0, 0]);
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(30);
    for (let i = 0; i < lines.length; i += 2) expect(lines[i + 1]).toBe(lines[i]?.replace('in', 'out'));
    expect(readdirSync(folder)).toEqual(['journal']);
  });

  it("names the lock's holder to waiters and times out", async () => {
    const held = await takeLock(dir, QUICK);
    const waits: string[] = [];
    const waiting = withLock(
      dir,
      { ...QUICK, waitMs: 1_200, onWait: (holder) => waits.push(holder) },
      async () => 'mine',
    );
    await expect(waiting).rejects.toThrow(/the lock .*: a test \(process \d+ on .+\) holds it/);
    expect(waits).toEqual([expect.stringContaining(`a test (process ${process.pid} on `)]);
    held.release();
  });

  it('removes leftovers of killed processes next to the lock only', async () => {
    for (const name of ['a.lock.1b4e28ba-2fa1-4d2b-883f-0016d3cca427', 'a.lock.notes', 'other'])
      mkdirSync(path.join(folder, name));
    (await takeLock(dir, QUICK)).release();
    expect(readdirSync(folder).toSorted()).toEqual(['a.lock.notes', 'other']);
  });
});

describe('a killed lock holder', () => {
  it.skipIf(findPlace() === '')('detects a killed holder at once on the same machine', async () => {
    const holder = hold();
    await holder.says(/holding/);
    await holder.end('SIGKILL');
    expect(existsSync(dir)).toBe(true);
    expect(new LockSeeker(dir, { ...QUICK, leaseMs: Infinity }).attempt()).toBeDefined();
  });

  it("takes a dead holder's lock after the lease though its process id is in use", async () => {
    mkdirSync(path.join(dir, 'token.5'), { recursive: true });
    const place = 'boot pid:[1] host';
    const dead = { what: 'a receiver', pid: process.pid, host: 'host', place };
    writeFileSync(path.join(dir, 'token.5', 'holder.json'), JSON.stringify(dead));
    expect(new LockSeeker(dir, { ...QUICK, place }).attempt()).toBeUndefined();
    expect(await withLock(dir, { ...QUICK, place }, async () => 'mine')).toBe('mine');
  });

  it('takes a lock without holder information after the lease', async () => {
    mkdirSync(path.join(dir, 'whatever'), { recursive: true });
    expect(await withLock(dir, QUICK, async () => 'mine')).toBe('mine');
  });
});

describe('a live lock holder', () => {
  it('keeps the lock if its description is unreadable and the holder before it is dead', async () => {
    const before = hold();
    await before.says(/holding/);
    const seeker = new LockSeeker(dir, QUICK);
    expect(seeker.attempt()).toBeUndefined();
    await before.end('SIGKILL');
    const held = await takeLock(dir, QUICK);
    onTestFinished(() => held.release());
    for (const name of readdirSync(dir)) rmSync(path.join(dir, name, 'holder.json'));
    expect(seeker.attempt()).toBeUndefined();
    held.assertHeld();
  });

  it('keeps the lock from a process elsewhere with the same process id', async () => {
    const held = await takeLock(dir, { ...QUICK, place: 'one container' });
    const other = { ...QUICK, place: 'another container', waitMs: 1_500 };
    await expect(withLock(dir, other, async () => 'mine')).rejects.toThrow(/Waited .* s for the lock .* holds it/);
    held.assertHeld();
    held.release();
  });

  it.skipIf(!canMakePidNamespaces())('keeps the lock across process namespaces until killed', async () => {
    const first = hold({}, [], true);
    await first.says(/holding/);
    expect(readFileSync(path.join(dir, readdirSync(dir)[0] ?? '', 'holder.json'), 'utf8')).toContain('"pid":1,');
    const second = hold({}, [], true);
    await sleep(1_500);
    const state = await Promise.race([second.says(/holding/), sleep(100, 'waiting')]);
    expect(state).toBe('waiting');
    await first.end('SIGKILL');
    await second.says(/holding/);
  });
});

describe('a lock holder frozen for longer than the lease', () => {
  it('stops a frozen holder from changing files after it lost the lock', async () => {
    const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
    appendFileSync(from, 'old');
    const frozen = hold({}, [from, to]);
    await frozen.says(/holding/);
    frozen.child.kill('SIGSTOP');
    // Takes the lock meanwhile. The frozen holder acts before its heartbeat timer can run.
    frozen.child.kill('SIGUSR2');
    const lock = await takeLock(dir, QUICK);
    frozen.child.kill('SIGCONT');
    expect(await frozen.says(/renamed|refused/)).toMatch(/refused: Internal This process was paused for too long/);
    expect(existsSync(to)).toBe(false);
    lock.assertHeld();
    lock.release();
    expect(readdirSync(folder)).toEqual(['from']);
  });

  it('stops a frozen holder from removing files after it lost the lock', async () => {
    const file = path.join(folder, 'precious');
    appendFileSync(file, 'x');
    const lock = await takeLock(dir, { ...QUICK, beatMs: 1_000_000 });
    const next = await takeLock(dir, { ...QUICK, leaseMs: 100 });
    expect(() => lock.remove(file)).toThrow(LockLostError);
    expect(() => lock.assertHeld()).toThrow(LockLostError);
    lock.release();
    next.assertHeld();
    next.remove(file);
    expect(existsSync(file)).toBe(false);
    next.release();
  });
});
