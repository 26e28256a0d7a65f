import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { replayFile, warehouseFile } from '../../src/store/data-folder.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { hashTables } from '../helpers/table-hashes.js';

// A worker finds a warehouse that another version made. It makes a new one from the landing zone, although it is killed
// twice meanwhile, and readers keep the published build.
let system: System;
beforeAll(async () => {
  system = await startSystem({
    market: { companies: 150, tenders: 5, seed: 23 },
    config: { tenders: {}, markets: [{ name: 'demo', streams: ['companies', 'financials', 'executives'] }] },
  });
});
afterAll(() => system?.stop());

/** Changes the file, as if a version with other SQL had made it, and leaves a row that no part has. */
async function pretendOther(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run(`UPDATE main.schema_version SET sha256 = 'x', tidemark = '1.2.3'`);
  await connection.run('INSERT INTO ledger.answers FROM ledger.answers LIMIT 1');
  connection.closeSync();
  instance.closeSync();
}

it('makes a warehouse of another version again, killed twice, while readers read', async () => {
  const { project } = system;
  const requestsOfNight = async (): Promise<number> => system.api.requests();
  expect((await system.run('marketSnapshot', 'snapshot/demo/one')).outcome).toBe('complete');
  expect((await system.run('tenderSnapshot', 'tenders/one')).outcome).toBe('complete');
  const before = await hashTables(project.dataDir);
  const requests = await requestsOfNight();
  await system.worker.stop();
  await pretendOther(warehouseFile(project.dataDir));
  expect((await system.tidemark('doctor')).stdout).toMatch(/! +warehouse .*made by Tidemark 1\.2\.3/);

  const gaps = new Set<string>();
  const end = new AbortController();
  const reading = (async () => {
    while (!end.signal.aborted) {
      const [row] = await project
        .query('SELECT count(*)::INTEGER AS n FROM core.companies')
        .catch((error: unknown) => [{ n: String(error) }]);
      if (row?.n !== 150) gaps.add(JSON.stringify(row?.n));
      await sleep(20);
    }
  })();
  await system.startWorker();
  const run = await system.start('retryRejects', 'retry/one');
  for (let kill = 1; kill <= 2; kill++) {
    await waitUntil('the new warehouse is written', async () => existsSync(replayFile(project.dataDir)));
    await sleep(100 * kill);
    await system.worker.stop('SIGKILL');
    await system.startWorker();
  }
  await run.result();
  end.abort();
  await reading;

  expect([...gaps]).toEqual([]);
  const isOfRuns = (name: string): boolean => /^(ops|meta)\./.test(name);
  const shown = (tables: Record<string, string>) => Object.entries(tables).filter(([name]) => !isOfRuns(name));
  expect(shown(await hashTables(project.dataDir))).toEqual(shown(before));
  expect(existsSync(replayFile(project.dataDir))).toBe(false);
  // The remake itself needs no request.
  expect((await requestsOfNight()) - requests).toBeLessThan(20);
});
