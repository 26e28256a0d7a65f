import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LeaseLostError, LeaseSeeker, takeLease, type WaitOptions } from '../../../src/store/lease.js';
import type { Storage } from '../../../src/store/storage.js';
import { withLease } from '../../helpers/with-lease.js';
import { ROOT } from '../../helpers/processes.js';

const QUICK: WaitOptions = { what: 'a test', leaseMs: 1_000, beatMs: 100, pollMs: 20 };
const KEY = 'locks/publish.json';

interface HolderProcess {
  child: ChildProcess;
  says(line: RegExp): Promise<string>;
}

/** A process that takes the lease and holds it. */
function hold(storage: Storage, env: NodeJS.ProcessEnv, options: Partial<WaitOptions> = {}): HolderProcess {
  const script = path.join(ROOT, 'test/helpers/lease-holder.ts');
  const args = ['--import', 'tsx', script, storage.name, KEY, JSON.stringify({ ...QUICK, ...options })];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    async says(pattern) {
      for (;;) {
        const found = lines.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        if (child.exitCode !== null) throw new Error(`ended without saying ${pattern}: ${lines.join(' / ')}`);
        await sleep(10);
      }
    },
  };
}

/**
 * Tests a lease in any storage.
 * @param open makes an empty storage, which another process can open by its name with these variables
 */
export function describeLease(name: string, open: () => Promise<{ storage: Storage; env: NodeJS.ProcessEnv }>): void {
  describe(`a lease in ${name}`, () => {
    let storage: Storage;
    let env: NodeJS.ProcessEnv;
    beforeEach(async () => {
      ({ storage, env } = await open());
    });

    it('runs one task at a time, with growing tokens', async () => {
      const order: string[] = [];
      const tokens: number[] = [];
      const work = (task: string) =>
        withLease(storage, KEY, QUICK, async (lease) => {
          tokens.push(lease.token);
          order.push(`${task} in`);
          await sleep(20);
          order.push(`${task} out`);
        });
      await Promise.all(['a', 'b', 'c', 'd'].map(work));
      for (let i = 0; i < order.length; i += 2) expect(order[i + 1]).toBe(order[i]?.replace('in', 'out'));
      expect(tokens).toEqual([1, 2, 3, 4]);
    });

    it('keeps a lease that sends heartbeats', async () => {
      const lease = await takeLease(storage, KEY, { ...QUICK, place: 'one machine' });
      const waits: string[] = [];
      const waiting = takeLease(storage, KEY, {
        ...QUICK,
        place: 'another machine',
        waitMs: 2_500,
        onWait: (holder) => waits.push(holder),
      });
      await expect(waiting).rejects.toThrow(/Waited 2.5 s for the lease .*: a test \(process \d+ on .+\) holds it/);
      expect(waits).toHaveLength(1);
      await lease.assertHeld();
      await lease.release();
      expect((await takeLease(storage, KEY, QUICK)).token).toBe(2);
    });

    it('gives a lease to the waiter that asks for it, before all other waiters', async () => {
      const holder = await takeLease(storage, KEY, QUICK);
      const asking = takeLease(storage, KEY, { ...QUICK, what: 'a command', asks: true });
      const waiting = takeLease(storage, KEY, { ...QUICK, what: 'a standby' });
      await once(holder.asked, 'abort');
      expect(holder.lost.aborted).toBe(false);
      await holder.assertHeld();
      await holder.release();
      const [given, taken] = [await asking, waiting];
      expect(given.token).toBe(2);
      expect(given.asked.aborted).toBe(false);
      await given.release();
      const next = await taken;
      expect(next.token).toBe(3);
      await next.release();
    });

    it('loses a lease without heartbeats to a waiter', async () => {
      const lease = await takeLease(storage, KEY, { ...QUICK, beatMs: 1_000_000, place: 'one machine' });
      const next = await takeLease(storage, KEY, { ...QUICK, place: 'another machine' });
      expect(next.token).toBe(2);
      await expect(lease.assertHeld()).rejects.toThrow(LeaseLostError);
      expect(lease.lost.aborted).toBe(true);
      await lease.release();
      await next.assertHeld();
      await next.release();
    });

    it('takes the lease of a killed holder on this machine at once', async () => {
      const holder = hold(storage, env);
      await holder.says(/holding 1/);
      holder.child.kill('SIGKILL');
      await once(holder.child, 'exit');
      const lease = await new LeaseSeeker(storage, KEY, { ...QUICK, leaseMs: Infinity }).attempt();
      expect(lease?.token).toBe(2);
      await lease?.release();
    });

    it('stops a holder that was frozen for longer than the lease', async () => {
      await storage.create('protected', Buffer.from('0'));
      const frozen = hold(storage, env);
      await frozen.says(/holding 1/);
      frozen.child.kill('SIGSTOP');
      // The frozen holder acts before its heartbeat timer can run.
      frozen.child.kill('SIGUSR2');
      const lease = await takeLease(storage, KEY, QUICK);
      expect(lease.token).toBe(2);
      frozen.child.kill('SIGCONT');
      expect(await frozen.says(/changed|refused/)).toMatch(/refused: .* another process took the lease/);
      await frozen.says(/lost/);
      expect((await storage.read('protected'))?.body.toString()).toBe('0');
      await lease.assertHeld();
      await lease.release();
    });

    it('gives the lease to a second process when the first one releases it', async () => {
      const first = hold(storage, env);
      await first.says(/holding 1/);
      const second = hold(storage, env);
      first.child.kill('SIGTERM');
      expect(await second.says(/holding/)).toBe('holding 2');
      second.child.kill('SIGUSR2');
      await second.says(/changed/);
    });

    it.each([
      ['was removed', async () => storage.remove(KEY)],
      [
        'was restored from an old backup',
        async (before: Buffer) => {
          await storage.remove(KEY);
          await storage.create(KEY, before);
        },
      ],
    ])('gives higher tokens than the protected files have, after the file of the lease %s', async (_name, harm) => {
      const first = await takeLease(storage, KEY, QUICK);
      await first.release();
      const old = (await storage.read(KEY))?.body ?? Buffer.alloc(0);
      for (let n = 0; n < 3; n++) await (await takeLease(storage, KEY, QUICK)).release();
      const last = await takeLease(storage, KEY, QUICK);
      await harm(old);
      const next = await takeLease(storage, KEY, { ...QUICK, highest: async () => last.token });
      expect(next.token).toBeGreaterThan(last.token);
      await expect(last.assertHeld()).rejects.toThrow(LeaseLostError);
      await next.release();
    });

    it('refuses a file that is no lease', async () => {
      await storage.create(KEY, Buffer.from('{}'));
      await expect(takeLease(storage, KEY, QUICK)).rejects.toThrow('is no lease of this version of Tidemark');
    });
  });
}
