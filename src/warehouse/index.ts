export {
  LandingCorruptError,
  ModelFailedError,
  NotPublishedError,
  WarehouseBusyError,
  type LoadCounts,
} from './errors.js';
export { describeDrift } from './describe-drift.js';
export { describeUnloaded } from './describe-unloaded.js';
export { loadLanding } from './load.js';
export { readModels, type Model } from './models.js';
export { openWarehouse, type Warehouse, type WarehouseOptions } from './open.js';
export { chunkFile, dueDir, publishedFile, warehouseFile } from './paths.js';
export { planDue, type DueCounts, type DueRequest } from './plan-due.js';
export { publish, type PublishedBuild, type PublishRequest } from './publish.js';
export { openPublished, queryPublished, type Published } from './published.js';
export { rebuildWarehouse, type Rebuilt, type RebuildRequest } from './rebuild.js';
export { buildModels, type BuildResult } from './run-models.js';
