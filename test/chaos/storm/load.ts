/*
 * Loads what has landed, builds the models and publishes, as a run does at its end: `load.ts DATA_FOLDER
 * MODELS_FOLDER`.
 */
import { buildModels } from '../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../src/warehouse/load/load.js';
import { openWarehouse } from '../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../src/warehouse/publish/publish.js';
import { Data } from '../../../src/store/data.js';

const [dataDir = '', modelsDir = ''] = process.argv.slice(2);
const now = new Date();
const warehouse = await openWarehouse(new Data(dataDir));
try {
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse, { now, personalData: false, modelsDir });
  await publish(warehouse, dataDir, { run: 'storm-check', now });
} finally {
  await warehouse.close();
}
