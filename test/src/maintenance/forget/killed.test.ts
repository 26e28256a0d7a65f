import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { findTexts } from '../../../helpers/find-texts.js';
import { cleanEnv, startProcess } from '../../../helpers/processes.js';
import { queryFile } from '../../../helpers/project.js';
import { runCli } from '../../../helpers/run-cli.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';
import { COUNT, GONE, landPeople, markersOf, plantFiles, plantSpool } from './people.js';
import { Data } from '../../../../src/store/data.js';

const STEPS = [/^Reading the landed/, /^Writing landed parts/, /^Rebuilding/, /^Searching/];

it('finishes after kill -9 in each step', async () => {
  const dir = temporaryDataDir();
  const dataDir = path.join(dir, 'data');
  const config = path.join(dir, 'tidemark.yaml');
  writeFileSync(config, `api: { baseUrl: 'http://127.0.0.1:9' }\npersonalData: contacts\n`);
  await landPeople(dataDir);
  const now = new Date('2026-11-10T02:00:00Z');
  const warehouse = await openWarehouse(new Data(dataDir));
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse, { now, personalData: true });
  await publish(warehouse, dataDir, { run: 'first', now });
  await warehouse.close();
  plantFiles(dataDir);
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(plantSpool(dataDir), longAgo, longAgo);

  const env = { TIDEMARK_CONFIG: config };
  for (const ready of STEPS) {
    const killed = await startProcess(['bin/tidemark.mjs', 'forget', '--person', ...GONE], {
      env: cleanEnv(env),
      ready,
    });
    await killed.stop('SIGKILL');
  }
  // The tombstones hold the ids, so the last call names nobody.
  const { code, stdout, stderr } = await runCli(['forget', '--json'], { cwd: dir, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ proof: { proven: true, remaining: [], unread: [] } });
  expect(await findTexts(dataDir, GONE.flatMap(markersOf))).toEqual([]);
  const published = path.join(dataDir, 'published', 'market.duckdb');
  expect(await queryFile(published, 'SELECT count(*)::INTEGER AS n FROM core.executives')).toEqual([{ n: 2 * COUNT }]);
}, 900_000);
