import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { withLock } from '../../bootstrap/lock.mjs';
import { bootstrapModule, runScript, tempFolder } from './helpers.js';

const LOCK_MODULE = JSON.stringify(bootstrapModule('lock.mjs'));

/** Starts a process that holds the lock until it is killed. */
function holdForever(dir: string): ReturnType<typeof runScript> {
  return runScript(`
    import { withLock } from ${LOCK_MODULE};
    await withLock(${JSON.stringify(dir)}, { beatMs: 100 }, () => {
      console.log('holding');
      return new Promise(() => setInterval(() => {}, 1000));
    });
  `);
}

it('admits one process at a time', async () => {
  const folder = tempFolder();
  const dir = path.join(folder, 'a.lock');
  const journal = path.join(folder, 'journal');
  const script = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { withLock } from ${LOCK_MODULE};
    for (let round = 0; round < 5; round++) {
      await withLock(${JSON.stringify(dir)}, { pollMs: 5 }, async () => {
        appendFileSync(${JSON.stringify(journal)}, 'in ' + process.pid + '\\n');
        await sleep(10);
        appendFileSync(${JSON.stringify(journal)}, 'out ' + process.pid + '\\n');
      });
    }
  `;
  const ends = await Promise.all([1, 2, 3].map(() => runScript(script).ended));
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);

  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  expect(lines).toHaveLength(30);
  for (let index = 0; index < lines.length; index += 2)
    expect(lines[index + 1]).toBe(lines[index]?.replace('in', 'out'));
  expect(readdirSync(folder)).toEqual(['journal']);
});

it('reports once which process holds the lock, then continues', async () => {
  const dir = path.join(tempFolder(), 'a.lock');
  const waits: string[] = [];
  const order: string[] = [];
  let release = (): void => undefined;
  const first = withLock(dir, {}, async () => {
    await new Promise<void>((resolve) => (release = resolve));
    order.push('first');
  });
  const onWait = (holder: string): void => {
    waits.push(holder);
    setTimeout(() => release(), 50);
  };
  const second = withLock(dir, { pollMs: 5, onWait }, () => Promise.resolve(order.push('second')));
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
  expect(waits).toEqual([expect.stringContaining(`process ${process.pid}`)]);
});

// Needs a system that identifies the process namespace of an id.
it.skipIf(!existsSync('/proc/self/ns/pid'))('takes the lock over from a killed holder', async () => {
  const dir = path.join(tempFolder(), 'a.lock');
  const holder = holdForever(dir);
  await holder.says('holding');
  holder.child.kill('SIGKILL');
  await holder.ended;
  expect(existsSync(dir)).toBe(true);
  // Does not wait a minute without heartbeat, because the process is known to be gone.
  expect(await withLock(dir, { pollMs: 5, leaseMs: Infinity }, () => Promise.resolve('mine'))).toBe('mine');
  expect(existsSync(dir)).toBe(false);
});

it('keeps the lock of a live process in another container, and takes it over from a dead one', async () => {
  const dir = path.join(tempFolder(), 'a.lock');
  mkdirSync(path.join(dir, 'token.3'), { recursive: true });
  // A process id above every system's maximum, on a host with our name.
  const holder = { what: 'a command', pid: 999_999_999, host: os.hostname(), place: 'boot pid:[1] host' };
  writeFileSync(path.join(dir, 'token.3', 'holder.json'), JSON.stringify(holder));
  const waits: string[] = [];
  const options = { pollMs: 5, leaseMs: 1_200, onWait: (who: string) => void waits.push(who) };
  expect(await withLock(dir, options, () => Promise.resolve('mine'))).toBe('mine');
  expect(waits).toHaveLength(1);
});

it("releases the lock when the work fails, but never another holder's", async () => {
  const dir = path.join(tempFolder(), 'a.lock');
  await expect(withLock(dir, {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(existsSync(dir)).toBe(false);

  await withLock(dir, {}, async () => {
    // Another process broke our lock and holds it now. Our release must keep its lock.
    rmSync(dir, { recursive: true });
    mkdirSync(dir);
    writeFileSync(path.join(dir, 'theirs'), '{}');
    await Promise.resolve();
  });
  expect(readdirSync(dir)).toEqual(['theirs']);
});
