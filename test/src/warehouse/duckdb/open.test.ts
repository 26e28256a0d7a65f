import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asWarehouseError } from '../../../../src/warehouse/duckdb/errors.js';
import { Database } from '../../../../src/warehouse/duckdb/database.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { useThreadsFor } from '../../../../src/warehouse/duckdb/threads.js';
import { WarehouseBusyError } from '../../../../src/warehouse/duckdb/errors.js';
import { warehouseFile } from '../../../../src/store/data-folder.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

describe('openWarehouse', () => {
  test('creates the warehouse once and leaves no log', async () => {
    const dataDir = temporaryDataDir();
    for (let time = 0; time < 2; time++) {
      const warehouse = await openWarehouse(new Data(dataDir));
      expect(await warehouse.db.count('SELECT count(*) FROM main.schema_version')).toBe(1);
      await warehouse.close();
    }
    expect(readdirSync(path.dirname(warehouseFile(dataDir)))).toEqual(['tidemark.duckdb']);
  });

  test('applies TIDEMARK_WAREHOUSE_MEMORY and rejects an invalid size', async () => {
    onTestFinished(() => void delete process.env['TIDEMARK_WAREHOUSE_MEMORY']);
    process.env['TIDEMARK_WAREHOUSE_MEMORY'] = '512MiB';
    const warehouse = await openWarehouse(new Data(temporaryDataDir()));
    expect(await warehouse.db.rows(`SELECT current_setting('memory_limit') AS given`)).toEqual([
      { given: '512.0 MiB' },
    ]);
    await warehouse.close();
    process.env['TIDEMARK_WAREHOUSE_MEMORY'] = 'plenty';
    await expect(openWarehouse(new Data(temporaryDataDir()))).rejects.toThrow(
      /TIDEMARK_WAREHOUSE_MEMORY is not a valid size: "plenty"/,
    );
  });

  test('applies TIDEMARK_WAREHOUSE_THREADS and rejects an invalid number', async () => {
    const before = process.env['TIDEMARK_WAREHOUSE_THREADS'];
    onTestFinished(() => {
      if (before === undefined) delete process.env['TIDEMARK_WAREHOUSE_THREADS'];
      else process.env['TIDEMARK_WAREHOUSE_THREADS'] = before;
    });
    process.env['TIDEMARK_WAREHOUSE_THREADS'] = '3';
    const warehouse = await openWarehouse(new Data(temporaryDataDir()));
    expect(await warehouse.db.rows(`SELECT current_setting('threads')::INTEGER AS given`)).toEqual([{ given: 3 }]);
    await warehouse.close();
    for (const wrong of ['0', 'all', '1.5']) {
      process.env['TIDEMARK_WAREHOUSE_THREADS'] = wrong;
      await expect(openWarehouse(new Data(temporaryDataDir()))).rejects.toThrow(
        `TIDEMARK_WAREHOUSE_THREADS is not a valid number: "${wrong}"`,
      );
    }
  });

  test('uses one thread for a small file, until a batch is large', async () => {
    const before = process.env['TIDEMARK_WAREHOUSE_THREADS'];
    onTestFinished(() => {
      if (before !== undefined) process.env['TIDEMARK_WAREHOUSE_THREADS'] = before;
    });
    delete process.env['TIDEMARK_WAREHOUSE_THREADS'];
    const warehouse = await openWarehouse(new Data(temporaryDataDir()));
    const { db } = warehouse;
    const threads = (): Promise<number> => db.count(`SELECT current_setting('threads')`);
    const instance = await DuckDBInstance.create(':memory:');
    const chosen = new Database(await instance.connect(), ':memory:');
    await useThreadsFor(db, [{ bytes: 1_000_000 }]);
    expect(await threads()).toBe(1);
    await useThreadsFor(db, [{ bytes: 1_000_000 }, { bytes: 2_000_000 }]);
    expect(await threads()).toBe(await chosen.count(`SELECT current_setting('threads')`));
    chosen.closeSync();
    await warehouse.close();
  });

  test('spills next to the file, downloads nothing and prefers an explicit memory limit', async () => {
    onTestFinished(() => void delete process.env['TIDEMARK_WAREHOUSE_MEMORY']);
    process.env['TIDEMARK_WAREHOUSE_MEMORY'] = '512MiB';
    const dataDir = temporaryDataDir();
    const warehouse = await openWarehouse(new Data(dataDir), { memoryLimit: '256MiB' });
    expect(
      await warehouse.db.rows(
        `SELECT current_setting('memory_limit') AS given, current_setting('temp_directory') AS spill,
           current_setting('autoinstall_known_extensions') AS downloads`,
      ),
    ).toEqual([{ given: '256.0 MiB', spill: `${warehouseFile(dataDir)}.tmp`, downloads: false }]);
    await warehouse.close();
    for (const size of ['1.5GB', '512 mb', '']) {
      process.env['TIDEMARK_WAREHOUSE_MEMORY'] = size;
      await (await openWarehouse(new Data(dataDir))).close();
    }
  });

  test('refuses to open the warehouse twice in one process', async () => {
    const dataDir = temporaryDataDir();
    const first = await openWarehouse(new Data(dataDir));
    await expect(openWarehouse(new Data(dataDir))).rejects.toBeInstanceOf(WarehouseBusyError);
    await first.close();
    await (await openWarehouse(new Data(dataDir))).close();
  });

  test('refuses a warehouse in use by another process and names its id', async () => {
    const dataDir = temporaryDataDir();
    await (await openWarehouse(new Data(dataDir))).close();
    const script = `
      import { DuckDBInstance } from '@duckdb/node-api';
      await DuckDBInstance.create(${JSON.stringify(warehouseFile(dataDir))});
      console.log('open');
      process.stdin.resume();
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const error: unknown = await openWarehouse(new Data(dataDir)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(WarehouseBusyError);
      expect(error).toMatchObject({
        type: 'WarehouseBusy',
        retryable: true,
        message: expect.stringContaining(`PID ${child.pid}`) as string,
      });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    // The remains of a killed writer do not prevent opening.
    await (await openWarehouse(new Data(dataDir))).close();
    expect(existsSync(`${warehouseFile(dataDir)}.wal`)).toBe(false);
  });

  test.each([
    ['other SQL', `UPDATE main.schema_version SET sha256 = 'x', tidemark = '1.7.0'`, /made by Tidemark 1\.7\.0/],
    ['an unknown program', 'DROP TABLE main.schema_version', /made by an unknown program/],
  ])('refuses a warehouse of %s, and names the remedy', async (_, sql, message) => {
    const dataDir = temporaryDataDir();
    const warehouse = await openWarehouse(new Data(dataDir));
    await warehouse.db.run(sql);
    await warehouse.close();
    await expect(openWarehouse(new Data(dataDir))).rejects.toMatchObject({
      message: expect.stringMatching(message) as string,
      todo: expect.stringContaining('tidemark replay') as string,
    });
  });
});

test.each([
  'IO Error: Could not write all 262144 bytes to file "x.duckdb": No space left on device',
  'IO Error: Could not write to file "x.duckdb.wal": Disk quota exceeded',
  'Out of Memory Error: failed to offload data block of size 256.0 KiB (this limit was set by the "max_temp_directory_size" setting)',
])('reports a full disk: %s', (message) => {
  expect(asWarehouseError(new Error(message), 'x.duckdb')).toMatchObject({ type: 'DiskFull', retryable: true });
});
