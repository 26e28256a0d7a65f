export { backfill } from './backfill.js';
export { checkNights } from './check-nights.js';
export { enrichPeople } from './enrich-people.js';
export { checkPayees } from './check-payees.js';
export { enrichOwners } from './enrich-owners.js';
export { marketSnapshot } from './market-snapshot.js';
export { notify } from './notify.js';
export { quotaGate } from './quota-gate/quota-gate.js';
export { rebuildWarehouse } from './rebuild-warehouse.js';
export { resolveCompanies } from './resolve-companies.js';
export { retryRejects } from './retry-rejects.js';
export { tenderSnapshot } from './tender-snapshot.js';
export { watchSync } from './watch-sync.js';
// oxlint-disable-next-line import/no-default-export -- the SDK runs the default export for every type that is none of these
export { unknownType as default } from './unknown-type.js';
