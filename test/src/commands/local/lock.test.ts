import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../../../src/commands/local/lock.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tidemark-lock-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('withLock', () => {
  it('lets one work at a time, and the next when one fails', async () => {
    const file = path.join(dir, 'a.lock');
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      order.push(`${name} in`);
      await delay(20);
      order.push(`${name} out`);
    };
    const first = withLock(file, async () => {
      await work('first');
      throw new Error('first failed');
    });
    const second = withLock(file, async () => work('second'));
    await expect(first).rejects.toThrow('first failed');
    await second;
    expect(order).toEqual(['first in', 'first out', 'second in', 'second out']);
  });

  it('takes over the lock of a process that is gone', async () => {
    const file = path.join(dir, 'b.lock');
    // Beyond every system's largest process id.
    writeFileSync(file, '999999999');
    expect(await withLock(file, async () => 'done')).toBe('done');
  });
});
