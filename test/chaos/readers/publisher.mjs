// Loads, builds and publishes a night for each number on its standard input, and prints each step:
// publisher.mjs <folder of the build> <data folder> <models, separated by commas>
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const FIRST = Date.parse('2026-01-01T04:00:00Z');
const DAY_MS = 86_400_000;
const [build = '', dataDir = '', chosen = ''] = process.argv.slice(2);
/** @param {string} file */
const load = (file) => import(pathToFileURL(path.join(build, 'src', 'warehouse', file)).href);
const [{ openWarehouse }, { loadLanding }, { buildModels }, { readModels }, { publish }] = await Promise.all(
  ['duckdb/open.js', 'load/load.js', 'models/run-models.js', 'models/models.js', 'publish/publish.js'].map(load),
);
const names = new Set(chosen.split(','));
const all = await readModels();
for (const { model, parents } of all.toReversed()) if (names.has(model)) for (const name of parents) names.add(name);
const models = all.filter((/** @type {{ model: string }} */ { model }) => names.has(model));

console.log('ready');
for await (const night of createInterface({ input: process.stdin })) {
  console.log(`load ${night}`);
  const now = new Date(FIRST + Number(night) * DAY_MS);
  const warehouse = await openWarehouse(dataDir);
  try {
    await loadLanding(warehouse, dataDir);
    await buildModels(warehouse, { now, models });
    console.log(`publish ${night}`);
    await publish(warehouse, dataDir, { run: `n${night}`, now });
  } finally {
    await warehouse.close();
  }
  console.log(`published ${night}`);
}
