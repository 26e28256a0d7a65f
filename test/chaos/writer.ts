import { buildModels } from '../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../src/warehouse/load/load.js';
import { openWarehouse } from '../../src/warehouse/duckdb/open.js';
import { publish } from '../../src/warehouse/publish/publish.js';
import { Data } from '../../src/store/data.js';

/* Runs the writer on a data folder step by step, so that a test can kill it in each step: `writer.ts FOLDER RUN`. */
const [dataDir = '', run = ''] = process.argv.slice(2);
const now = new Date('2026-11-22T04:00:00Z');
const step = (name: string): void => void process.stdout.write(`step ${name}\n`);
step('open');
const warehouse = await openWarehouse(new Data(dataDir));
step('load');
await loadLanding(warehouse, new Data(dataDir));
step('model');
await buildModels(warehouse, { now, personalData: true });
step('publish');
await publish(warehouse, dataDir, { run, now });
step('close');
await warehouse.close();
step('end');
