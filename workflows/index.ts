export { backfill } from './backfill.js';
export { marketSnapshot } from './market-snapshot.js';
export { quotaGate } from './quota-gate.js';
export { rebuildWarehouse } from './rebuild-warehouse.js';
export { resolveCompanies } from './resolve-companies.js';
export { retryRejects } from './retry-rejects.js';
export { tenderSnapshot } from './tender-snapshot.js';
export { watchSync } from './watch-sync.js';
