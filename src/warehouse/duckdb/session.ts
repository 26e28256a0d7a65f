import { BOUNDS } from '../../base/json/json-bounds.js';
import type { Database } from './database.js';

/** Prepares a connection for loads and builds: options, and the functions that macros call. */
export async function prepareSession(db: Database): Promise<void> {
  const bounds = JSON.stringify(BOUNDS).replaceAll('"', "'");
  await db.run(`SET TimeZone = 'UTC'; SET preserve_insertion_order = false; SET VARIABLE bounds = ${bounds}`);
  await db.addFunctions();
}
