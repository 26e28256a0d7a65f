import path from 'node:path';
import { expect, it } from 'vitest';
import { currentBuild } from '../../../src/warehouse/builds/builds.js';
import { openWarehouse } from '../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../src/warehouse/publish/publish.js';
import { copyCurrentBuild } from '../../../src/warehouse/builds/copy-build.js';
import { LocalFolder } from '../../../src/store/local-folder.js';
import { runCli } from '../../helpers/run-cli.js';
import { marketNight, prepareBuilt, temporaryDataDir } from '../../helpers/warehouse.js';
import { Data } from '../../../src/store/data.js';

it('queries a copied build on a machine without a configuration', async () => {
  const dataDir = temporaryDataDir();
  await prepareBuilt(dataDir, marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2, 3] }));
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    await publish(warehouse, dataDir, { run: 'r1', now: new Date('2026-11-20T04:00:00Z') });
  } finally {
    await warehouse.close();
  }
  const elsewhere = temporaryDataDir();
  const shared = path.join(elsewhere, 'shared');
  await copyCurrentBuild(new LocalFolder(shared), dataDir, { keepSeconds: 60, what: 'a test' });
  const query = (...args: string[]) =>
    runCli(['sql', '--from', shared, '--format', 'csv', ...args], {
      cwd: elsewhere,
      env: { TIDEMARK_CACHE_DIR: path.join(elsewhere, 'cache') },
    });
  const sql = 'SELECT run, companies FROM meta.receipt, marts.market_daily';
  const first = await query(sql);
  expect(first.stdout).toBe('run,companies\r\nr1,3\r\n');
  expect(first.stderr).toMatch(/Downloading .* from .*shared …/);
  expect(currentBuild(dataDir)).toMatch(/-r1$/);
  const second = await query(sql);
  expect(second.stdout).toBe(first.stdout);
  expect(second.stderr).not.toContain('Downloading');
});

it('reports a folder to which nothing was copied', async () => {
  const elsewhere = temporaryDataDir();
  const { code, stderr } = await runCli(['sql', '--from', elsewhere, 'SELECT 1'], { cwd: elsewhere });
  expect(code).toBe(1);
  expect(stderr).toContain('current.json does not exist, so no build was copied there.');
});
