import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryLimit } from '../../../../src/warehouse/duckdb/memory-limit.js';
import { withMoreMemory } from '../../../../src/warehouse/duckdb/more-memory.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const before = { ...process.env };

beforeEach(() => {
  delete process.env['TIDEMARK_WAREHOUSE_MEMORY'];
  process.env['TIDEMARK_WAREHOUSE_THREADS'] = '2';
});
afterEach(() => {
  process.env = { ...before };
});

test('limits the memory of DuckDB by the number of threads and the size of the file', () => {
  const file = path.join(temporaryDataDir(), 'x.duckdb');
  expect(memoryLimit(file)).toBe('192MiB');
  writeFileSync(file, '');
  truncateSync(file, 400 * 2 ** 20);
  expect(memoryLimit(file)).toBe('332MiB');
  process.env['TIDEMARK_WAREHOUSE_THREADS'] = '8';
  expect(memoryLimit(file)).toBe('908MiB');
});

test('names the setting when DuckDB runs out of memory, and doubles a limit that nobody chose', async () => {
  const dataDir = temporaryDataDir();
  const needMuch = async (): Promise<void> => {
    const warehouse = await openWarehouse(new Data(dataDir));
    try {
      await warehouse.db.run('SELECT list(range) FROM range(50000000)');
    } finally {
      await warehouse.close();
    }
  };
  await expect(needMuch()).rejects.toMatchObject({
    type: 'ModelFailed',
    retryable: true,
    message: expect.stringMatching(
      /^DuckDB reached its memory limit of 192\.0 MiB while it worked on .*tidemark\.duckdb\.$/,
    ) as string,
    todo: expect.stringContaining('TIDEMARK_WAREHOUSE_MEMORY') as string,
  });
  expect(memoryLimit('missing')).toBe('384MiB');

  process.env['TIDEMARK_WAREHOUSE_MEMORY'] = '150MiB';
  await expect(needMuch()).rejects.toMatchObject({
    retryable: false,
    message: expect.stringContaining('of 150.0 MiB') as string,
    todo: expect.stringMatching(/^Set TIDEMARK_WAREHOUSE_MEMORY to a larger size/) as string,
  });
  expect(memoryLimit('missing')).toBe('150MiB');
});

test('repeats work with more memory until it succeeds', async () => {
  const warehouse = await openWarehouse(new Data(temporaryDataDir()));
  await warehouse.db.run("SET memory_limit = '60MB'");
  let tries = 0;
  const length = await withMoreMemory(warehouse.db, async () => {
    tries++;
    return warehouse.db.count('SELECT len(list(range)) FROM range(10000000)');
  });
  expect(length).toBe(10_000_000);
  expect(tries).toBeGreaterThan(1);
  await warehouse.close();
});
