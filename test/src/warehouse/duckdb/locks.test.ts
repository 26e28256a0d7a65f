import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { WarehouseBusyError } from '../../../../src/warehouse/duckdb/errors.js';
import {
  lockWriter,
  whileNobodyReplays,
  whileNothingIsRemoved,
  whileSwitching,
} from '../../../../src/warehouse/duckdb/locks.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

function dataFolder(): string {
  const dataDir = temporaryDataDir();
  for (const folder of ['warehouse', 'landing', 'published']) mkdirSync(path.join(dataDir, folder));
  return dataDir;
}

describe('locks of a data folder', () => {
  test('refuses a second writer and names the first', async () => {
    const dataDir = dataFolder();
    const lock = await lockWriter(new Data(dataDir), 'tidemark compact');
    expect(existsSync(path.join(dataDir, 'warehouse', 'writer.lock'))).toBe(true);
    const refused: unknown = await lockWriter(new Data(dataDir)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WarehouseBusyError);
    expect((refused as Error).message).toContain('tidemark compact');
    lock.release();
    const next = await lockWriter(new Data(dataDir));
    await expect(lockWriter(new Data(dataDir))).rejects.toThrow('a writer');
    next.release();
  });

  test('refuses a compaction at once during a replay', async () => {
    const dataDir = dataFolder();
    const refused = await whileNothingIsRemoved(dataDir, () =>
      whileNobodyReplays(dataDir, 'tidemark compact', () => Promise.resolve('compacted')).catch(
        (error: unknown) => error,
      ),
    );
    expect(refused).toMatchObject({
      type: 'WarehouseBusy',
      retryable: true,
      message: expect.stringContaining(`The landing zone of ${dataDir} is in use by tidemark replay`) as string,
      todo: 'Wait for that command to end, then run this command again.',
    });
    expect(await whileNobodyReplays(dataDir, 'tidemark compact', () => Promise.resolve('compacted'))).toBe('compacted');
  });

  test('delays a replay until a compaction ends or fails', async () => {
    const dataDir = dataFolder();
    const order: string[] = [];
    let replay: Promise<unknown> = Promise.resolve();
    const compacting = whileNobodyReplays(dataDir, 'tidemark compact', async () => {
      replay = whileNothingIsRemoved(dataDir, async () => void order.push('replayed'));
      await new Promise((done) => setTimeout(done, 50));
      order.push('compacted');
      throw new Error('the compaction failed');
    });
    await expect(compacting).rejects.toThrow('the compaction failed');
    await replay;
    expect(order).toEqual(['compacted', 'replayed']);
  });

  test('allows one switch of builds at a time and names the current one', async () => {
    const dataDir = dataFolder();
    const waited: string[] = [];
    let second: Promise<unknown> = Promise.resolve();
    await whileSwitching(dataDir, async (lock) => {
      lock.assertHeld();
      second = whileSwitching(
        dataDir,
        async () => 'switched',
        (holder) => waited.push(holder),
      );
      await expect.poll(() => waited, { timeout: 60_000 }).toHaveLength(1);
    });
    expect(await second).toBe('switched');
    expect(waited[0]).toContain('a publication');
    expect(existsSync(path.join(dataDir, 'published', 'switch.lock'))).toBe(false);
  });
});
