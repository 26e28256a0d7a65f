import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../../store/files.js';

const LAKE_INDEX = '_files.json';
const DELTA_INDEX = '_current.json';

/**
 * Files of a lake, by their path in the lake. The next publication compares the hashes in `content` to find unchanged
 * files.
 */
export type LakeFiles = Record<string, LakeFile>;

interface LakeFile {
  rows: number;
  bytes: number;
  /** Hash of the model and its rows. */
  content: string;
}

/** Reads the index of a lake. Returns no files if there is no lake, or its index cannot be read. */
export function readIndex(lake: string): LakeFiles {
  try {
    return JSON.parse(readFileSync(path.join(lake, LAKE_INDEX), 'utf8')) as LakeFiles;
  } catch {
    return {};
  }
}

/** Writes the index of a lake. */
export async function writeLakeIndex(lake: string, files: LakeFiles): Promise<void> {
  await writeFileAtomic(path.join(lake, LAKE_INDEX), `${JSON.stringify(files, null, 1)}\n`);
}

/** Content of `lake-delta/_current.json`. */
export interface DeltaIndex {
  /** When `lake/` was written, as an ISO instant, and the run for which it was written. */
  lake: { builtAt: string; run: string };
  /** Number of publications since `lake/` was written. */
  version: number;
  /** Tables that differ from `lake/`, by name. A table that is not listed has exactly the rows of `lake/`. */
  tables: Record<string, DeltaTable>;
}

export interface DeltaTable {
  /** Columns that identify a row. */
  key: string[];
  files: {
    /** Path below `lake-delta/`. */
    file: string;
    version: number;
    rows: number;
    bytes: number;
  }[];
}

/** Reads the index of a build's delta; undefined if the build has none. */
export function readDeltaIndex(folder: string): DeltaIndex | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, DELTA_INDEX), 'utf8')) as DeltaIndex;
  } catch {
    return undefined;
  }
}

/** Writes the index of a build's delta. */
export async function writeDeltaIndex(folder: string, index: DeltaIndex): Promise<void> {
  await writeFileAtomic(path.join(folder, DELTA_INDEX), `${JSON.stringify(index, null, 1)}\n`);
}
