import path from 'node:path';
import { z } from 'zod';
import { tryReadJson, writeFileAtomic } from '../../store/files.js';

const LAKE_INDEX = '_files.json';

const LakeFile = z.object({
  /** Path in the lake. A file never changes: other rows get a file with another name. */
  file: z.string(),
  rows: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
});
export type LakeFile = z.infer<typeof LakeFile>;

const LakeTable = z.object({
  /** Names and DuckDB types, in order. */
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  /** Together, these files have exactly the rows of the table. */
  files: z.array(LakeFile),
});
export type LakeTable = z.infer<typeof LakeTable>;

const LakeIndex = z.object({
  format: z.literal(2),
  /** When all rows of a build were last read, so that DuckDB compared the checksum of each block. An ISO instant. */
  rowsReadAt: z.string(),
  tables: z.record(z.string(), LakeTable),
});
/** The files of a lake, by table. The next publication links the files of tables whose rows are the same. */
export type LakeIndex = z.infer<typeof LakeIndex>;

/** Reads the index of a lake. Undefined if there is no lake, or its index cannot be read. */
export function readLakeIndex(lake: string): LakeIndex | undefined {
  return tryReadJson(path.join(lake, LAKE_INDEX), LakeIndex);
}

/** Writes the index of a lake. */
export async function writeLakeIndex(lake: string, index: LakeIndex): Promise<void> {
  await writeFileAtomic(path.join(lake, LAKE_INDEX), `${JSON.stringify(index, null, 1)}\n`);
}
