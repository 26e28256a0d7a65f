import { existsSync } from 'node:fs';
import { readSets, type AppliedSet } from './sets.js';
import { readOnly } from '../duckdb/open.js';
import { warehouseFile } from '../../store/data-folder.js';

/** A set of models that was applied, and the files that it changed. */
export interface HistoryEntry extends Omit<AppliedSet, 'files'> {
  /** Files that differ from the previous set. For the first set: all files. */
  changed: string[];
  inForce: boolean;
}

/**
 * Reads the sets of models that were applied, oldest first.
 * @throws WarehouseBusyError while a worker writes the warehouse
 */
export async function readHistory(dataDir: string): Promise<HistoryEntry[]> {
  const file = warehouseFile(dataDir);
  if (!existsSync(file)) return [];
  const sets = await readOnly(file, readSets);
  return sets.map(({ files, ...set }, i) => {
    const before = sets[i - 1]?.files ?? new Map<string, string>();
    const names = new Set([...files.keys(), ...before.keys()]);
    const changed = [...names].filter((name) => files.get(name) !== before.get(name)).toSorted();
    return { ...set, changed, inForce: i === sets.length - 1 };
  });
}
