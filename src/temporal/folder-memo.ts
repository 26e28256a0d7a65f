import type { DataFolder } from '../../schemas/pipeline/run.js';

/**
 * Memo of a run or schedule: the data folder that it belongs to. The workflow passes it to its activities, and workers
 * with another folder refuse them. Returns no memo without a folder.
 */
export function folderMemo(folder: DataFolder | null | undefined): { memo?: { folder: DataFolder } } {
  return folder ? { memo: { folder } } : {};
}
