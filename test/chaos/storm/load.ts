/* Loads what has landed, builds the models and publishes, as the end of a run does: `load.ts DATA_FOLDER MODELS_FOLDER`. */
import { buildModels, loadLanding, openWarehouse, publish } from '../../../src/warehouse/index.js';

const [dataDir = '', modelsDir = ''] = process.argv.slice(2);
const now = new Date();
const warehouse = await openWarehouse(dataDir);
try {
  await loadLanding(warehouse, dataDir);
  await buildModels(warehouse, { now, personalData: false, modelsDir });
  await publish(warehouse, dataDir, { run: 'storm-check', now });
} finally {
  await warehouse.close();
}
